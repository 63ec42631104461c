# Sends, fetches, edits and deletes messages with the synchronous and asynchronous API of discord.py. Prints the results
# as JSON.
import asyncio
import datetime
import json
import os

import aiohttp
import discord
from discord.http import Route

Route.BASE = os.environ['API_URL']
ID = int(os.environ['WEBHOOK_ID'])
TOKEN = os.environ['WEBHOOK_TOKEN']
MENTIONED = os.environ['MENTIONED']
AVATAR_URL = 'https://ci.example/a.png'


def payload(name):
    embed = discord.Embed(title='Build 7', url='https://ci.example/7', description='all green', colour=0x2ECC71)
    embed.timestamp = datetime.datetime(2026, 1, 15, 12, tzinfo=datetime.timezone.utc)
    embed.set_author(name='CI', icon_url='https://ci.example/i.png')
    embed.add_field(name='Branch', value='main')
    embed.set_footer(text='took 3 s')
    # The library sends these ids as numbers.
    mentions = discord.AllowedMentions(everyone=False, roles=False, users=[discord.Object(int(MENTIONED))])
    return {
        'content': f'{name} <@{MENTIONED}>',
        'username': 'CI',
        'avatar_url': AVATAR_URL,
        'embed': embed,
        'allowed_mentions': mentions,
        'wait': True,
    }


def summarize(message):
    return {
        'content': message.content,
        'author': message.author.name,
        'avatar': message.author.avatar is not None,
        'embeds': [
            [embed.title, embed.type, embed.timestamp and embed.timestamp.isoformat()] for embed in message.embeds
        ],
        'mentions': [user.name for user in message.mentions],
        'edited': message.edited_at is not None,
    }


def describe(error):
    return [type(error).__name__, error.status, error.code, error.text]


def synchronous():
    hook = discord.SyncWebhook.partial(ID, TOKEN).fetch()
    sent = hook.send(**payload('sync'))
    fetched = hook.fetch_message(sent.id)
    edited = sent.edit(content='edited', embeds=[])
    result = [hook.name, summarize(sent), summarize(fetched), summarize(edited)]
    sent.delete()
    for action in (lambda: hook.fetch_message(sent.id), lambda: hook.send('x' * 2001)):
        try:
            action()
        except discord.HTTPException as error:
            result.append(describe(error))
    return result


async def asynchronous():
    async with aiohttp.ClientSession() as session:
        hook = await discord.Webhook.partial(ID, TOKEN, session=session).fetch()
        sent = await hook.send(**payload('async'))
        fetched = await hook.fetch_message(sent.id)
        edited = await sent.edit(content='edited', embeds=[])
        result = [hook.name, summarize(sent), summarize(fetched), summarize(edited)]
        await sent.delete()
        for action in (lambda: hook.fetch_message(sent.id), lambda: hook.send('x' * 2001)):
            try:
                await action()
            except discord.HTTPException as error:
                result.append(describe(error))
        return result


print(json.dumps({'sync': synchronous(), 'async': asyncio.run(asynchronous())}))
