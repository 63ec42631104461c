import type { Embed } from '@gatehouse/protocol/embeds'
import { multipartBody, multipartField } from './webhooks-testing.ts'

/**
 * One request for each shape of body, from programs that no test runs. It is derived from their public source or
 * recorded, and shortened: values are invented, and repeated members are left out.
 */
export interface SentRequest {
  /** What no other request has. */
  shape: string
  /** The program, and where the request comes from: its public source on GitHub, or the package that sent it. */
  source: string
  suffix: '' | '/slack'
  /** Of the API in the path, and the query, for programs that add them to the URL. */
  version?: string
  query?: string
  contentType: string
  body: string
  /** The resulting message; undefined for a request with a file, which is rejected. */
  expected: { name: string; content: string; embeds: Embed[] } | undefined
}

const json = 'application/json'
const form = 'application/x-www-form-urlencoded'
const multipart = 'multipart/form-data; boundary=xx'
const fileHeaders = 'Content-Type: application/octet-stream\r\n\r\nPNG'

export const sentRequests: readonly SentRequest[] = [
  {
    shape: 'an API version and wait=True in the URL, and booleans as text',
    source: 'Zabbix, zabbix/zabbix templates/media/discord/media_discord.yaml',
    suffix: '',
    version: 'v7',
    query: '?wait=True',
    contentType: json,
    body: JSON.stringify({
      embeds: [
        {
          color: 16753753,
          url: 'https://zabbix.example/tr_events.php?triggerid=23&eventid=57',
          title: 'PROBLEM: Disk space is low (used > 80%)',
          footer: { text: 'Event ID: 57\nEvent tags: class:os, scope:capacity' },
          fields: [
            { name: 'Host', value: 'db1 [192.0.2.7]' },
            { name: 'Severity', value: 'Average', inline: 'True' },
          ],
        },
      ],
    }),
    expected: {
      name: 'Alerts',
      content: '',
      embeds: [
        {
          title: 'PROBLEM: Disk space is low (used > 80%)',
          url: 'https://zabbix.example/tr_events.php?triggerid=23&eventid=57',
          color: 0xffa459,
          footer: { text: 'Event ID: 57\nEvent tags: class:os, scope:capacity' },
          fields: [
            { name: 'Host', value: 'db1 [192.0.2.7]', inline: false },
            { name: 'Severity', value: 'Average', inline: true },
          ],
        },
      ],
    },
  },
  {
    shape: 'null for every absent member',
    source: 'GitLab, gitlabhq/gitlabhq app/models/integrations/discord.rb',
    suffix: '',
    contentType: json,
    body: JSON.stringify({
      content: null,
      username: null,
      avatar_url: null,
      tts: null,
      file: null,
      embeds: [
        {
          title: null,
          description:
            '[Mona](https://gitlab.example/mona) pushed\n [a1b2c3d4](https://gitlab.example/1) Fix\n',
          url: null,
          timestamp: '2026-01-15T12:00:00Z',
          color: 16543014,
          footer: null,
          image: null,
          thumbnail: null,
          video: null,
          provider: null,
          author: { name: 'Mona', url: null, icon_url: 'https://gitlab.example/avatar.png' },
          fields: [],
        },
      ],
    }),
    expected: {
      name: 'Alerts',
      content: '',
      embeds: [
        {
          description:
            '[Mona](https://gitlab.example/mona) pushed\n [a1b2c3d4](https://gitlab.example/1) Fix',
          timestamp: '2026-01-15T12:00:00.000Z',
          color: 0xfc6d26,
          author: { name: 'Mona', icon_url: 'https://gitlab.example/avatar.png' },
        },
      ],
    },
  },
  {
    shape: 'indented JSON with empty text for absent members, and wait in the body',
    source: 'Gitea and Forgejo, go-gitea/gitea services/webhook/discord.go',
    suffix: '',
    contentType: json,
    body: JSON.stringify(
      {
        wait: false,
        content: '',
        username: 'Gitea',
        avatar_url: '',
        tts: false,
        embeds: [
          {
            title: '[octo/hello:main] 1 new commit',
            description: '[a1b2c3d](https://git.example/1) Fix the door - Mona',
            url: '',
            color: 1754624,
            footer: { text: '' },
            author: { name: 'mona', url: 'https://git.example/mona', icon_url: '' },
            fields: null,
          },
        ],
      },
      null,
      2,
    ),
    expected: {
      name: 'Gitea',
      content: '',
      embeds: [
        {
          title: '[octo/hello:main] 1 new commit',
          description: '[a1b2c3d](https://git.example/1) Fix the door - Mona',
          color: 0x1ac600,
          author: { name: 'mona', url: 'https://git.example/mona' },
        },
      ],
    },
  },
  {
    shape: 'text with an embed, flags and a video',
    source: 'n8n, n8n-io/n8n packages/nodes-base/nodes/Discord/v2/actions/webhook/sendLegacy.operation.ts',
    suffix: '',
    query: '?wait=true',
    contentType: json,
    body: JSON.stringify({
      content: 'Workflow finished',
      avatar_url: 'https://n8n.example/icon.png',
      flags: 4096,
      tts: false,
      username: 'n8n',
      embeds: [
        {
          author: { name: 'Orders' },
          title: 'Import',
          thumbnail: { url: 'https://n8n.example/thumbnail.png' },
          video: { url: 'https://n8n.example/video.mp4', width: 1270, height: 720 },
        },
      ],
    }),
    expected: {
      name: 'n8n',
      content: 'Workflow finished',
      embeds: [
        {
          title: 'Import',
          thumbnail: { url: 'https://n8n.example/thumbnail.png' },
          author: { name: 'Orders' },
        },
      ],
    },
  },
  {
    shape: 'the name of a new thread, and a timestamp without a time zone',
    source: 'Uptime Kuma, louislam/uptime-kuma server/notification-providers/discord.js',
    suffix: '',
    contentType: json,
    body: JSON.stringify({
      username: 'Uptime Kuma',
      embeds: [
        {
          title: '❌ Your service Shop went down. ❌',
          color: 16711680,
          timestamp: '2026-01-15 11:59:30.123',
          fields: [{ name: 'Went Offline', value: '<t:1768478370:F>' }],
        },
      ],
      avatar_url: 'https://github.com/louislam/uptime-kuma/raw/master/public/icon.png',
      thread_name: 'Outages',
    }),
    expected: {
      name: 'Uptime Kuma',
      content: '',
      embeds: [
        {
          title: '❌ Your service Shop went down. ❌',
          timestamp: '2026-01-15T11:59:30.123Z',
          color: 0xff0000,
          fields: [{ name: 'Went Offline', value: '<t:1768478370:F>', inline: false }],
        },
      ],
    },
  },
  {
    shape: 'several embeds with a type, and an image',
    source: 'Grafana, grafana/alerting receivers/discord/v1/discord.go',
    suffix: '',
    contentType: json,
    body: JSON.stringify({
      username: 'Grafana',
      content: '**Firing**\n\nLabels:\n - instance = db1\n',
      embeds: [
        { title: '[FIRING:1] DiskFull', type: 'rich', color: 14037554, footer: { text: 'Grafana v12.1.0' } },
        { title: 'DiskFull', color: 14037554, image: { url: 'https://img.example/panel.png' } },
      ],
    }),
    expected: {
      name: 'Grafana',
      content: '**Firing**\n\nLabels:\n - instance = db1',
      embeds: [
        { title: '[FIRING:1] DiskFull', color: 0xd63232, footer: { text: 'Grafana v12.1.0' } },
        { title: 'DiskFull', color: 0xd63232, image: { url: 'https://img.example/panel.png' } },
      ],
    },
  },
  {
    shape: 'an embed with nothing but an empty array',
    source: 'discord-webhook-node 1.1.8, recorded',
    suffix: '',
    contentType: json,
    body: '{"username":"Node","avatar_url":"https://a.example/n.png","embeds":[{"fields":[]}],"content":"Deployed"}',
    expected: { name: 'Node', content: 'Deployed', embeds: [] },
  },
  {
    shape: 'lines that end with CRLF',
    source: 'Apprise 1.2.0, recorded',
    suffix: '',
    contentType: 'application/json; charset=utf-8',
    body: '{"tts": false, "wait": true, "content": "Failed\\r\\nDisk full", "avatar_url": "https://a.example/a.png"}',
    expected: { name: 'Alerts', content: 'Failed\r\nDisk full', embeds: [] },
  },
  {
    shape: 'a form with fields',
    source: 'Home Assistant, home-assistant/core homeassistant/components/rest/notify.py',
    suffix: '',
    contentType: form,
    body: 'content=The+front+door+is+open&username=Home+Assistant&tts=False',
    expected: { name: 'Home Assistant', content: 'The front door is open', embeds: [] },
  },
  {
    shape: 'multipart with payload_json, which has its own headers',
    source:
      'Jenkins, jenkinsci/discord-notifier-plugin src/main/java/nz/co/jammehcow/jenkinsdiscord/DiscordWebhook.java',
    suffix: '',
    contentType: multipart,
    body: multipartBody([
      [
        'Content-Disposition: form-data; name="payload_json"',
        'Content-Type: text/plain; charset=UTF-8',
        'Content-Transfer-Encoding: 8bit',
        '',
        JSON.stringify({
          embeds: [{ color: 11278871, description: '**Build:** #7\n*Öffne die Tür*', fields: [] }],
          username: 'Jenkins',
        }),
      ].join('\r\n'),
    ]),
    expected: {
      name: 'Jenkins',
      content: '',
      embeds: [{ description: '**Build:** #7\n*Öffne die Tür*', color: 0xac1a17 }],
    },
  },
  {
    shape: 'multipart with payload_json and a file without a field name',
    source: 'Grafana, grafana/alerting receivers/discord/v1/discord.go',
    suffix: '',
    contentType: multipart,
    body: multipartBody([
      multipartField('payload_json', '{"embeds":[{"title":"x","image":{"url":"attachment://panel.png"}}]}'),
      `Content-Disposition: form-data; name=""; filename="panel.png"\r\n${fileHeaders}`,
    ]),
    expected: undefined,
  },
  {
    shape: 'multipart with fields and a file',
    source: 'Apprise 1.2.0, recorded',
    suffix: '',
    contentType: multipart,
    body: multipartBody([
      multipartField('tts', 'False'),
      multipartField('wait', 'True'),
      multipartField('avatar_url', 'https://a.example/a.png'),
      'Content-Disposition: form-data; name="file"; filename="x.txt"\r\n\r\nx',
    ]),
    expected: undefined,
  },
  {
    shape: 'text alone',
    source: '@slack/webhook 8.0.2, recorded',
    suffix: '/slack',
    contentType: json,
    body: '{"username":"Slacker","icon_url":"https://a.example/s.png","text":"*hello*"}',
    expected: { name: 'Slacker', content: '**hello**', embeds: [] },
  },
  {
    shape: 'blocks, with text for the notification',
    source: 'Sentry, getsentry/sentry src/sentry/integrations/slack/message_builder/issues.py',
    suffix: '/slack',
    contentType: json,
    body: JSON.stringify({
      blocks: [
        {
          type: 'section',
          text: {
            type: 'mrkdwn',
            text: ':red_circle: <https://sentry.example/7/|*TypeError: a &lt; b is not __callable__*>',
          },
          block_id: '{"issue":7,"rule":3}',
        },
        {
          type: 'context',
          elements: [{ type: 'mrkdwn', text: 'State: *New*   First Seen: *1 minute ago*' }],
        },
        {
          type: 'actions',
          elements: [
            {
              type: 'button',
              text: { type: 'plain_text', text: 'Resolve' },
              action_id: 'resolve',
              value: 'r',
            },
            {
              type: 'external_select',
              placeholder: { type: 'plain_text', text: 'Select Assignee...', emoji: true },
              action_id: 'assign',
            },
          ],
        },
        { type: 'divider' },
      ],
      text: '[door] TypeError: a &lt; b is not __callable__',
    }),
    expected: {
      name: 'Alerts',
      content: [
        '🔴 **[TypeError: a < b is not \\_\\_callable\\_\\_](https://sentry.example/7/)**',
        'State: **New**   First Seen: **1 minute ago**',
        '———',
      ].join('\n'),
      embeds: [],
    },
  },
  {
    shape: 'text with blocks in an attachment',
    source: 'Uptime Kuma, louislam/uptime-kuma server/notification-providers/slack.js',
    suffix: '/slack',
    contentType: json,
    body: JSON.stringify({
      text: 'Uptime Kuma Alert\n[Shop] [🔴 Down] <!channel>',
      channel: '#alerts',
      username: 'Uptime Kuma',
      icon_emoji: ':bear:',
      attachments: [
        {
          color: '#e01e5a',
          blocks: [
            { type: 'header', text: { type: 'plain_text', text: 'Uptime Kuma Alert' } },
            { type: 'section', fields: [{ type: 'mrkdwn', text: '*Message*\n[Shop] [🔴 Down] <!channel>' }] },
            {
              type: 'actions',
              elements: [
                {
                  type: 'button',
                  text: { type: 'plain_text', text: 'Visit Uptime Kuma' },
                  value: 'Uptime-Kuma',
                  url: 'https://status.example/1',
                },
              ],
            },
          ],
        },
      ],
    }),
    expected: {
      name: 'Uptime Kuma',
      content: 'Uptime Kuma Alert\n[Shop] [🔴 Down] @channel',
      embeds: [
        {
          description: [
            '**Uptime Kuma Alert**',
            '**Message**',
            '[Shop] [🔴 Down] @channel',
            '[Visit Uptime Kuma](https://status.example/1)',
          ].join('\n'),
          color: 0xe01e5a,
        },
      ],
    },
  },
  {
    shape: 'an attachment with pretext, text and an image',
    source: 'Grafana, grafana/alerting receivers/slack/v1/slack.go',
    suffix: '/slack',
    contentType: 'application/json; charset=utf-8',
    body: JSON.stringify({
      channel: '#alerts',
      username: 'Grafana',
      icon_emoji: ':rotating_light:',
      attachments: [
        {
          title: '[FIRING:1] DiskFull (db1)',
          title_link: 'https://grafana.example/alerting/list',
          text: '**Firing**\n\n - instance = db1\n',
          image_url: 'https://img.example/panel.png',
          fallback: '[FIRING:1] DiskFull (db1)',
          footer: 'Grafana v12.1.0',
          footer_icon: 'https://grafana.com/static/assets/img/fav32.png',
          color: '#D63232',
          ts: 1_768_478_400,
          pretext: '<!channel|channel> <!subteam^S024BE7LH>',
          mrkdwn_in: ['pretext'],
        },
      ],
    }),
    expected: {
      name: 'Grafana',
      content: '',
      embeds: [
        {
          title: '[FIRING:1] DiskFull (db1)',
          description: '@channel @subteam\n\\*\\*Firing\\*\\*\n\n \\- instance = db1',
          url: 'https://grafana.example/alerting/list',
          timestamp: '2026-01-15T12:00:00.000Z',
          color: 0xd63232,
          footer: { text: 'Grafana v12.1.0', icon_url: 'https://grafana.com/static/assets/img/fav32.png' },
          image: { url: 'https://img.example/panel.png' },
        },
      ],
    },
  },
  {
    shape: 'an attachment with fields and a button of the older format',
    source: 'prometheus-alertmanager 0.25.0, recorded',
    suffix: '/slack',
    contentType: json,
    body: JSON.stringify({
      channel: '#alerts',
      username: 'Alertmanager',
      attachments: [
        {
          title: '[RESOLVED] DiskFull',
          title_link: 'http://alertmanager:9093/#/alerts',
          text: '',
          fallback: '[RESOLVED] DiskFull',
          callback_id: '',
          fields: [{ title: 'Severity', value: 'critical', short: true }],
          actions: [{ type: 'button', text: 'Runbook', url: 'https://runbooks.example/x' }],
          footer: '',
          color: 'good',
          mrkdwn_in: ['fallback', 'pretext', 'text'],
        },
      ],
    }),
    expected: {
      name: 'Alertmanager',
      content: '',
      embeds: [
        {
          title: '[RESOLVED] DiskFull',
          description: '[Runbook](https://runbooks.example/x)',
          url: 'http://alertmanager:9093/#/alerts',
          color: 0x2eb67d,
          fields: [{ name: 'Severity', value: 'critical', inline: true }],
        },
      ],
    },
  },
  {
    shape: 'empty text for absent members, and characters that are not escaped',
    source: 'GitHub Actions, 8398a7/action-slack src/client.ts',
    suffix: '/slack',
    contentType: json,
    body: JSON.stringify({
      text: '<!here> :white_check_mark: Succeeded GitHub Actions\n',
      username: '',
      icon_emoji: '',
      icon_url: '',
      channel: '',
      attachments: [
        {
          color: 'good',
          author_name: '8398a7@action-slack',
          fields: [{ title: 'author', value: 'Mona<mona@example.com>', short: true }],
        },
      ],
    }),
    expected: {
      name: 'Alerts',
      content: '@here ✅ Succeeded GitHub Actions',
      embeds: [
        {
          color: 0x2eb67d,
          author: { name: '8398a7@action-slack' },
          fields: [{ name: 'author', value: String.raw`Mona\<mona@example.com>`, inline: true }],
        },
      ],
    },
  },
  {
    shape: 'a form with payload, and a field without a title',
    source: 'Jenkins, jenkinsci/slack-plugin src/main/java/jenkins/plugins/slack/StandardSlackService.java',
    suffix: '/slack',
    contentType: `${form}; charset=UTF-8`,
    body: new URLSearchParams({
      payload: JSON.stringify({
        channel: '#builds',
        attachments: [
          {
            fallback: '#7 Failure (<https://ci.example/7/|Open>)',
            color: 'danger',
            fields: [{ short: false, value: 'hello » main - #7 Failure (<https://ci.example/7/|Open>)' }],
            mrkdwn_in: ['pretext', 'text', 'fields'],
          },
        ],
        link_names: '1',
      }),
    }).toString(),
    expected: {
      name: 'Alerts',
      content: '',
      embeds: [
        {
          color: 0xe01e5a,
          fields: [
            {
              name: '\u200b',
              value: 'hello » main - #7 Failure ([Open](https://ci.example/7/))',
              inline: false,
            },
          ],
        },
      ],
    },
  },
]
