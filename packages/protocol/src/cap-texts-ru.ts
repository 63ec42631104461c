import type { capTexts as english } from './cap-texts.ts'

/** The Russian ones. A file of its own, because the web client loads only one language. */
export const capTexts: Record<keyof typeof english, string> = {
  'limit.servers': 'Пользователь может состоять не более чем на {max} серверах.',
  'limit.ownedServers': 'Пользователь может быть владельцем не более чем {max} серверов.',
  'limit.channels': 'На сервере может быть не более {max} каналов.',
  'limit.roles': 'На сервере может быть не более {max} ролей.',
  'limit.overwrites': 'В канале можно настроить права не более чем для {max} ролей и участников.',
  'limit.serverOverwrites': 'Во всех каналах сервера вместе может быть не более {max} настроек прав.',
  'limit.commandOverrides': 'У всех команд сервера вместе может быть не более {max} исключений.',
  'limit.applications': 'У пользователя может быть не более {max} приложений.',
  'limit.invites': 'На сервере может быть не более {max} действующих приглашений.',
  'limit.blocks': 'Можно заблокировать не более {max} пользователей и ботов.',
  'limit.openReports':
    'У пользователя не больше {max} открытых жалоб на одном сервере и столько же в личных сообщениях.',
  'limit.imageMebibytes': 'Изображения, загруженные пользователем, занимают вместе не более {max} МиБ.',
  'limit.formerUsernames': 'За 90 дней можно сменить не более {max} имён пользователя.',
}
