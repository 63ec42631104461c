# A bot for Discord, in which only the addresses of the API and the gateway are others. It answers commands, acts on
# messages that begin with `!`, and writes what happens on the server to the channel `bot-log`.
import asyncio
import os
from datetime import timedelta

import discord
import yarl
from discord import app_commands
from discord.ext import commands

if 'API_URL' in os.environ:
    discord.http.Route.BASE = os.environ['API_URL'] + '/v10'
    discord.gateway.DiscordWebSocket.DEFAULT_GATEWAY = yarl.URL(os.environ['GATEWAY_URL'])

intents = discord.Intents(guilds=True, members=True, bans=True, messages=True, message_content=True)


class LogBot(commands.Bot):
    async def setup_hook(self):
        self.registered = False

    async def log(self, guild, text):
        channel = discord.utils.get(guild.text_channels, name='bot-log')
        if channel:
            await channel.send(text, allowed_mentions=discord.AllowedMentions.none())


bot = LogBot(command_prefix='!', intents=intents, help_command=None)
tree = bot.tree


def names(things):
    return ','.join(sorted(thing.name for thing in things))


def role_names(member):
    return names(role for role in member.roles if not role.is_default())


@bot.event
async def on_ready():
    for guild in bot.guilds:
        await bot.log(guild, 'Connected')
    if bot.registered:
        return
    bot.registered = True
    await tree.sync()
    for guild in bot.guilds:
        tree.add_command(rules, guild=guild)
        await tree.sync(guild=guild)
        permissions = str(guild.me.guild_permissions.ban_members).lower()
        text = f'Ready: {bot.user.name} {names(guild.channels)} {guild.member_count} {permissions}'
        await bot.log(guild, text)


@bot.event
async def on_resumed():
    for guild in bot.guilds:
        await bot.log(guild, 'Resumed')


# Messages


@bot.event
async def on_message(message):
    if message.author.bot:
        return
    if message.guild is None:
        await message.channel.send(f'You said: {message.content}')
    else:
        await bot.process_commands(message)


@bot.command()
async def ping(ctx):
    await ctx.reply('Pong!')


@bot.command()
async def card(ctx):
    embed = discord.Embed(title='Card', description=f'of {ctx.author.display_name}', colour=0x2ECC71)
    embed.add_field(name='Level', value='3')
    embed.set_footer(text='the end')
    mentions = discord.AllowedMentions(everyone=False, users=[ctx.author])
    await ctx.send(f'{ctx.author.mention} @everyone', embed=embed, allowed_mentions=mentions)


@bot.command()
async def history(ctx, count: int):
    found = [message.content async for message in ctx.channel.history(limit=count, before=ctx.message)]
    await ctx.send(f'History: {", ".join(found)}')


@bot.command()
async def around(ctx, id: int):
    found = [message.content async for message in ctx.channel.history(limit=3, around=discord.Object(id))]
    await ctx.send(f'Around: {", ".join(found)}')


@bot.command()
async def clear(ctx, count: int):
    deleted = await ctx.channel.purge(limit=count)
    await ctx.send(f'Cleared {len(deleted)}')


@bot.command()
async def draft(ctx):
    sent = await ctx.send('A draft')
    await sent.edit(content='A better draft')
    await sent.delete()
    await ctx.send('The draft is gone')


@bot.command()
async def dm(ctx):
    await ctx.author.send('Hello in private')


@bot.command()
async def role(ctx, name):
    permissions = discord.Permissions(manage_messages=True)
    created = await ctx.guild.create_role(name=name, colour=0x3498DB, permissions=permissions)
    await ctx.author.add_roles(created, reason='asked')
    member = await ctx.guild.fetch_member(ctx.author.id)
    can = str(member.guild_permissions.manage_messages).lower()
    await created.edit(name=f'{name}s')
    await ctx.send(f'Role: {name if created in member.roles else None} {can}')
    # The library resolves the roles of an event later, when the role may be gone.
    removed = bot.wait_for('member_update', check=lambda _, after: created not in after.roles)
    await member.remove_roles(created)
    await removed
    await created.delete(reason='no longer needed')
    member = await ctx.guild.fetch_member(ctx.author.id)
    await ctx.send(f'Roles: {len(member.roles) - 1}')


@bot.command()
async def channel(ctx, name):
    visible = discord.PermissionOverwrite(view_channel=True)
    overwrites = {
        ctx.guild.default_role: discord.PermissionOverwrite(view_channel=False),
        ctx.author: visible,
        ctx.guild.me: visible,
    }
    created = await ctx.guild.create_text_channel(name, topic='For two', overwrites=overwrites)
    seen = str(created.permissions_for(ctx.guild.default_role).view_channel).lower()
    edited = await created.edit(topic='For three', slowmode_delay=5)
    await edited.set_permissions(ctx.author, view_channel=True, send_messages=False)
    await ctx.send(f'Channel: {edited.name} {edited.topic} {edited.slowmode_delay} {seen}')


@bot.command()
async def unchannel(ctx, name):
    await discord.utils.get(ctx.guild.text_channels, name=name).delete()


@bot.command()
async def burst(ctx, count: int):
    await asyncio.gather(*(ctx.send(f'Burst {index}') for index in range(count)))


# Events of the server


@bot.event
async def on_message_edit(before, after):
    if after.guild and not after.author.bot:
        await bot.log(after.guild, f'Edited: {before.content} → {after.content}')


@bot.event
async def on_message_delete(message):
    if message.guild and not message.author.bot:
        await bot.log(message.guild, f'Deleted: {message.content}')


@bot.event
async def on_member_join(member):
    general = discord.utils.get(member.guild.text_channels, name='general')
    await general.send(f'Welcome, {member.mention}!')


@bot.event
async def on_member_update(before, after):
    if before.roles != after.roles:
        await bot.log(after.guild, f'Roles of {after.name}: {role_names(after) or "none"}')
    if before.timed_out_until != after.timed_out_until:
        await bot.log(after.guild, f'Timeout of {after.name}: {str(after.is_timed_out()).lower()}')


@bot.event
async def on_member_remove(member):
    await bot.log(member.guild, f'Left: {member.name}')


@bot.event
async def on_member_ban(guild, user):
    await bot.log(guild, f'Banned: {user.name}')


@bot.event
async def on_member_unban(guild, user):
    await bot.log(guild, f'Unbanned: {user.name}')


@bot.event
async def on_audit_log_entry_create(entry):
    if entry.action == discord.AuditLogAction.kick:
        own = str(entry.user == bot.user).lower()
        await bot.log(entry.guild, f'Audit: kick, {entry.reason}, {own}')


@bot.event
async def on_guild_role_create(role):
    await bot.log(role.guild, f'Role created: {role.name}')


@bot.event
async def on_guild_role_delete(role):
    await bot.log(role.guild, f'Role deleted: {role.name}')


@bot.event
async def on_guild_channel_create(channel):
    await bot.log(channel.guild, f'Channel created: {channel.name}')


@bot.event
async def on_guild_channel_update(before, after):
    await bot.log(after.guild, f'Channel: {before.name} → {after.name}')


@bot.event
async def on_guild_channel_delete(channel):
    await bot.log(channel.guild, f'Channel deleted: {channel.name}')


@bot.event
async def on_guild_update(before, after):
    await bot.log(after, f'Server: {before.name} → {after.name}')


@bot.event
async def on_guild_join(guild):
    await bot.log(guild, f'Joined: {guild.name}')


# Application commands


@app_commands.command()
async def rules(interaction: discord.Interaction):
    """The command rules"""
    await interaction.response.send_message('Be kind.')


@tree.command()
async def greet(interaction: discord.Interaction):
    """The command greet"""
    await interaction.response.send_message(f'Hello, {interaction.user.display_name}!')


@tree.command()
async def secret(interaction: discord.Interaction):
    """The command secret"""
    await interaction.response.send_message('A secret', ephemeral=True)


@tree.command()
async def report(interaction: discord.Interaction):
    """The command report"""
    await interaction.response.defer()
    await interaction.edit_original_response(content='Report, page 1')
    second = await interaction.followup.send('Report, page 2', wait=True)
    await interaction.followup.send('Only for you', ephemeral=True)
    first = await interaction.original_response()
    await interaction.edit_original_response(content=f'{first.content} of 2')
    await second.edit(content='Report, the end')


@tree.command()
async def vanish(interaction: discord.Interaction):
    """The command vanish"""
    await interaction.response.send_message('Soon gone')
    await interaction.delete_original_response()
    await interaction.followup.send('It is gone')


class PollView(discord.ui.View):
    def __init__(self):
        super().__init__(timeout=None)
        self.votes = {}
        self.add_item(discord.ui.Button(label='Rules', url='https://poll.example/'))

    def vote(self, interaction, choice):
        self.votes[interaction.user.name] = choice
        return 'Votes: ' + ','.join(f'{name},{choice}' for name, choice in self.votes.items())

    @discord.ui.button(label='Yes', style=discord.ButtonStyle.success, emoji='👍', custom_id='yes')
    async def yes(self, interaction, button):
        await interaction.response.edit_message(content=self.vote(interaction, 'yes'))

    @discord.ui.button(label='No', style=discord.ButtonStyle.danger, custom_id='no')
    async def no(self, interaction, button):
        await interaction.response.defer()
        await interaction.edit_original_response(content=self.vote(interaction, 'no'), view=None)
        await interaction.followup.send('The poll has ended', ephemeral=True)
        self.stop()


@tree.command()
async def poll(interaction: discord.Interaction):
    """The command poll"""
    await interaction.response.send_message('Poll', view=PollView())


class ColorView(discord.ui.View):
    @discord.ui.select(
        custom_id='colors',
        placeholder='Colors',
        max_values=2,
        options=[
            discord.SelectOption(label='Red', value='r', description='Like a rose'),
            discord.SelectOption(label='Blue', value='b', default=True),
            discord.SelectOption(label='Green', value='g'),
        ],
    )
    async def choose(self, interaction, select):
        await interaction.response.edit_message(content=f'You chose {",".join(select.values)}', view=None)


@tree.command()
async def choose(interaction: discord.Interaction):
    """The command choose"""
    await interaction.response.send_message('Choose', view=ColorView())


class PickView(discord.ui.View):
    @discord.ui.select(cls=discord.ui.UserSelect, custom_id='users', max_values=2)
    async def users(self, interaction, select):
        users = ','.join(user.name for user in select.values)
        members = ','.join(user.display_name for user in select.values if isinstance(user, discord.Member))
        await interaction.response.send_message(f'Users: {users} as {members}')

    @discord.ui.select(cls=discord.ui.RoleSelect, custom_id='roles')
    async def roles(self, interaction, select):
        await interaction.response.send_message(f'Roles: {names(select.values)}')

    @discord.ui.select(cls=discord.ui.ChannelSelect, custom_id='channels')
    async def channels(self, interaction, select):
        await interaction.response.send_message(f'Channels: {names(select.values)}')

    @discord.ui.select(cls=discord.ui.MentionableSelect, custom_id='both', max_values=2)
    async def both(self, interaction, select):
        roles = [value for value in select.values if isinstance(value, discord.Role)]
        users = [value for value in select.values if isinstance(value, discord.Member)]
        await interaction.response.send_message(f'Users: {names(users)}, roles: {names(roles)}')


@tree.command()
async def pick(interaction: discord.Interaction):
    """The command pick"""
    await interaction.response.send_message('Pick', view=PickView())


class FeedbackModal(discord.ui.Modal, title='Feedback'):
    text = discord.ui.TextInput(label='Text', style=discord.TextStyle.paragraph, custom_id='text')
    sender = discord.ui.TextInput(label='From', required=False, custom_id='from')

    async def on_submit(self, interaction):
        await interaction.response.send_message(f'Thanks: {self.text.value} from {self.sender.value or "?"}')


@tree.command()
async def feedback(interaction: discord.Interaction):
    """The command feedback"""
    await interaction.response.send_modal(FeedbackModal())


@tree.command()
async def city(interaction: discord.Interaction, name: str):
    """The command city"""
    await interaction.response.send_message(f'Off to {name}')


@city.autocomplete('name')
async def complete_city(interaction: discord.Interaction, typed: str):
    found = [name for name in ('Paris', 'Prague', 'Rome') if name.lower().startswith(typed.lower())]
    return [app_commands.Choice(name=name, value=name) for name in found]


@tree.command()
@app_commands.choices(
    color=[app_commands.Choice(name='Red', value='r'), app_commands.Choice(name='Blue', value='b')]
)
async def everything(
    interaction: discord.Interaction,
    color: app_commands.Choice[str],
    count: app_commands.Range[int, 1, 9] = None,
    ratio: float = None,
    loud: bool = None,
    user: discord.Member = None,
    channel: discord.TextChannel = None,
    role: discord.Role = None,
    whom: discord.Member | discord.Role = None,
):
    """The command everything"""
    values = {
        'color': color.value,
        'count': count,
        'ratio': ratio,
        'loud': None if loud is None else str(loud).lower(),
        'user': user and user.name,
        'member': user and user.display_name,
        'channel': channel and channel.name,
        'role': role and role.name,
        'whom': whom and (whom.name if isinstance(whom, discord.Role) else whom.mention),
    }
    text = ' '.join(f'{name}={"-" if value is None else value}' for name, value in values.items())
    await interaction.response.send_message(text, allowed_mentions=discord.AllowedMentions.none())


settings = app_commands.Group(name='settings', description='The command settings')
color = app_commands.Group(name='color', description='The color', parent=settings)
tree.add_command(settings)


@settings.command()
async def show(interaction: discord.Interaction):
    """Shows them"""
    await interaction.response.send_message('Settings: show -')


@color.command(name='set')
async def set_color(interaction: discord.Interaction, value: str):
    """Changes it"""
    await interaction.response.send_message(f'Settings: color set {value}')


@tree.command()
async def server(interaction: discord.Interaction):
    """The command server"""
    guild = await bot.fetch_guild(interaction.guild_id)
    owner = await guild.fetch_member(guild.owner_id)
    members = [member async for member in guild.fetch_members(limit=None)]
    found = await interaction.guild.query_members('b')
    text = f'{guild.name} of {owner.name}: {interaction.guild.member_count}, {names(members)}; {names(found)}'
    await interaction.response.send_message(text)


class Moderate(app_commands.Group):
    async def run(self, interaction, act):
        await interaction.response.defer(ephemeral=True)
        try:
            await act
            await interaction.edit_original_response(content=f'Done: {interaction.command.name}')
        except discord.Forbidden as error:
            await interaction.edit_original_response(content=f'Failed: {error.code}')

    async def change(self, guild, user, limit, reason):
        member = await guild.fetch_member(int(user))
        await member.timeout(limit, reason=reason)

    @app_commands.command()
    async def timeout(self, interaction: discord.Interaction, user: str, reason: str = None):
        """The act timeout"""
        await self.run(interaction, self.change(interaction.guild, user, timedelta(minutes=10), reason))

    @app_commands.command()
    async def release(self, interaction: discord.Interaction, user: str, reason: str = None):
        """The act release"""
        await self.run(interaction, self.change(interaction.guild, user, None, reason))

    @app_commands.command()
    async def kick(self, interaction: discord.Interaction, user: str, reason: str = None):
        """The act kick"""
        await self.run(interaction, interaction.guild.kick(discord.Object(int(user)), reason=reason))

    @app_commands.command()
    async def ban(self, interaction: discord.Interaction, user: str, reason: str = None):
        """The act ban"""
        await self.run(interaction, interaction.guild.ban(discord.Object(int(user)), reason=reason))

    @app_commands.command()
    async def unban(self, interaction: discord.Interaction, user: str, reason: str = None):
        """The act unban"""
        await self.run(interaction, interaction.guild.unban(discord.Object(int(user)), reason=reason))


moderators = discord.Permissions(moderate_members=True)
tree.add_command(Moderate(description='The command moderate', default_permissions=moderators))


@tree.command()
async def errors(interaction: discord.Interaction):
    """The command errors"""
    await interaction.response.send_message('Errors')
    codes = []
    for request in (
        lambda: interaction.channel.fetch_message(1),
        lambda: interaction.guild.kick(interaction.guild.owner),
        lambda: bot.fetch_channel(1),
        lambda: interaction.guild.fetch_member(1),
        # Another process of the bot does not know that this one has responded.
        lambda: discord.InteractionResponse(interaction).send_message('again'),
        lambda: interaction.edit_original_response(content='x' * 2001),
    ):
        try:
            await request()
            codes.append('none')
        except discord.HTTPException as error:
            codes.append(str(error.code))
    await interaction.followup.send(f'Errors: {",".join(codes)}')


@tree.context_menu(name='Show profile')
async def show_profile(interaction: discord.Interaction, member: discord.Member):
    await interaction.response.send_message(f'Profile: {member.name}, {member.display_name}')


@tree.context_menu(name='Quote')
async def quote(interaction: discord.Interaction, message: discord.Message):
    await interaction.response.send_message(f'Quote: {message.content} ({message.author.name})')


bot.run(os.environ['BOT_TOKEN'])
