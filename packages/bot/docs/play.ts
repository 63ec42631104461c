import type { Bot } from '@gatehouse/bot'

export interface Song {
  id: number
  artist: string
  title: string
}

/** `find` returns the songs that match a text, of an artist if it is given. */
export function definePlay(bot: Bot, find: (text: string, artist?: string) => Promise<Song[]>) {
  bot.command(
    {
      name: 'play',
      description: 'Play a song',
      options: [
        { type: 'integer', name: 'song', description: 'The song', required: true, autocomplete: true },
        { type: 'string', name: 'artist', description: 'Only their songs' },
      ],
    },
    ctx => ctx.reply(`Playing song ${ctx.options.song}`),
    {
      async song(ctx) {
        const found = await find(ctx.value, ctx.options.artist)
        return found.map(({ id, artist, title }) => ({ name: `${artist}: ${title}`, value: id }))
      },
    },
  )
}
