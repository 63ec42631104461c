import type { Embed } from '@gatehouse/protocol/embeds'
import { multipartBody, multipartField } from './webhooks-testing.ts'

/**
 * A request of a program that a test cannot run, derived from its public source: the same members in the same order,
 * including empty ones, with invented names and numbers.
 */
export interface DerivedRequest {
  program: string
  /** Repository and file on GitHub. */
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
const labels =
  'Value: A=97\nLabels:\n - alertname = DiskFull\n - instance = db1\nAnnotations:\n - summary = 97% full'
const silence =
  'https://grafana.example/alerting/silence/new?alertmanager=grafana&matcher=alertname%3DDiskFull&matcher=instance%3Ddb1'
const firing = `**Firing**\n\n${labels}\nSource: https://grafana.example/alerting/grafana/x1/view\nSilence: ${silence}`
const icon = 'https://grafana.com/static/assets/img/fav32.png'

const grafanaDiscord = {
  username: 'Grafana',
  content: `${firing}\n`,
  embeds: [
    {
      title: '[FIRING:1] DiskFull (db1)',
      type: 'rich',
      url: 'https://grafana.example/alerting/list',
      color: 14037554,
      footer: { text: 'Grafana v12.1.0', icon_url: icon },
    },
    { title: 'DiskFull', color: 14037554, image: { url: 'https://img.example/panel.png' } },
  ],
}

export const derivedRequests: readonly DerivedRequest[] = [
  {
    program: 'Zabbix, media type Discord',
    source: 'zabbix/zabbix templates/media/discord/media_discord.yaml',
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
            { name: 'Event time', value: '12:00:00 2026.01.15', inline: 'True' },
            { name: 'Severity', value: 'Average', inline: 'True' },
            { name: 'Operational data', value: 'Space used: 97 %', inline: 'True' },
            { name: 'Trigger description', value: 'The volume is almost full.' },
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
            { name: 'Event time', value: '12:00:00 2026.01.15', inline: true },
            { name: 'Severity', value: 'Average', inline: true },
            { name: 'Operational data', value: 'Space used: 97 %', inline: true },
            { name: 'Trigger description', value: 'The volume is almost full.', inline: false },
          ],
        },
      ],
    },
  },
  {
    program: 'GitLab, Discord notifications',
    source: 'gitlabhq/gitlabhq app/models/integrations/discord.rb',
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
            '[Mona](https://gitlab.example/mona) pushed to branch [main](https://gitlab.example/octo/hello/commits/main) of [octo/hello](https://gitlab.example/octo/hello)\n [a1b2c3d4](https://gitlab.example/octo/hello/-/commit/a1b2c3d4) Fix the door - Mona\n',
          url: null,
          timestamp: '2026-01-15T12:00:00Z',
          color: 16543014,
          footer: null,
          image: null,
          thumbnail: null,
          video: null,
          provider: null,
          author: { name: 'Mona', url: null, icon_url: 'https://gitlab.example/uploads/avatar.png' },
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
            '[Mona](https://gitlab.example/mona) pushed to branch [main](https://gitlab.example/octo/hello/commits/main) of [octo/hello](https://gitlab.example/octo/hello)\n [a1b2c3d4](https://gitlab.example/octo/hello/-/commit/a1b2c3d4) Fix the door - Mona',
          timestamp: '2026-01-15T12:00:00.000Z',
          color: 0xfc6d26,
          author: { name: 'Mona', icon_url: 'https://gitlab.example/uploads/avatar.png' },
        },
      ],
    },
  },
  {
    program: 'Sentry, an issue alert for Slack',
    source: 'getsentry/sentry src/sentry/integrations/slack/message_builder/issues.py',
    suffix: '/slack',
    contentType: json,
    body: JSON.stringify({
      blocks: [
        {
          type: 'section',
          text: {
            type: 'mrkdwn',
            text: ':red_circle: <https://sentry.example/organizations/octo/issues/7/?referrer=slack|*TypeError: a &lt; b is not __callable__*>',
          },
          block_id: '{"issue":7,"rule":3}',
        },
        { type: 'context', elements: [{ type: 'mrkdwn', text: 'app.views in read_door' }] },
        { type: 'section', text: { type: 'mrkdwn', text: '```a &lt; b is not __callable__```' } },
        {
          type: 'section',
          text: { type: 'mrkdwn', text: 'environment: `production`  level: `error`  ' },
          block_id: 'tags_issue_7_rule_3',
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
              action_id: 'resolve_dialog',
              value: 'resolve_dialog',
            },
            {
              type: 'external_select',
              placeholder: { type: 'plain_text', text: 'Select Assignee...', emoji: true },
              action_id: 'assign',
            },
          ],
        },
        {
          type: 'context',
          elements: [
            {
              type: 'mrkdwn',
              text: 'Project: <https://sentry.example/organizations/octo/projects/door/|door>    Alert: <https://sentry.example/alerts/3/|New issue>    Short ID: DOOR-7',
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
        '🔴 **[TypeError: a < b is not \\_\\_callable\\_\\_](https://sentry.example/organizations/octo/issues/7/?referrer=slack)**',
        'app.views in read_door',
        '```a < b is not __callable__```',
        'environment: `production`  level: `error`',
        'State: **New**   First Seen: **1 minute ago**',
        'Project: [door](https://sentry.example/organizations/octo/projects/door/)    Alert: [New issue](https://sentry.example/alerts/3/)    Short ID: DOOR-7',
        '———',
      ].join('\n'),
      embeds: [],
    },
  },
  {
    program: 'n8n, Discord node with a webhook',
    source: 'n8n-io/n8n packages/nodes-base/nodes/Discord/v2/actions/webhook/sendLegacy.operation.ts',
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
          color: 16738816,
          description: '3 orders imported',
          timestamp: '2026-01-15T12:00:00.000Z',
          title: 'Import',
          url: 'https://n8n.example/workflow/7',
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
          description: '3 orders imported',
          url: 'https://n8n.example/workflow/7',
          timestamp: '2026-01-15T12:00:00.000Z',
          color: 0xff6a00,
          thumbnail: { url: 'https://n8n.example/thumbnail.png' },
          author: { name: 'Orders' },
        },
      ],
    },
  },
  {
    program: 'Home Assistant, notify.rest with POST',
    source: 'home-assistant/core homeassistant/components/rest/notify.py',
    suffix: '',
    contentType: form,
    body: new URLSearchParams({
      content: 'The front door is open',
      username: 'Home Assistant',
      tts: 'False',
    }).toString(),
    expected: { name: 'Home Assistant', content: 'The front door is open', embeds: [] },
  },
  {
    program: 'Home Assistant, notify.rest with POST_JSON, for Slack',
    source: 'home-assistant/core homeassistant/components/rest/notify.py',
    suffix: '/slack',
    contentType: json,
    body: JSON.stringify({ text: '21.5 °C in living_room_2', username: 'Home Assistant' }),
    expected: { name: 'Home Assistant', content: '21.5 °C in living_room_2', embeds: [] },
  },
  {
    program: 'discord.js 12, WebhookClient',
    source: 'discordjs/discord.js src/structures/APIMessage.js',
    suffix: '',
    version: 'v7',
    query: '?wait=true',
    contentType: json,
    body: JSON.stringify({
      content: 'Deployed',
      tts: false,
      embed: null,
      embeds: [
        {
          title: 'Build 7',
          type: 'rich',
          description: 'all green',
          url: null,
          timestamp: '2026-01-15T12:00:00.000Z',
          color: 3066993,
          fields: [{ name: 'Branch', value: 'main', inline: true }],
          thumbnail: null,
          image: null,
          author: { name: 'CI', url: null, icon_url: null },
          footer: { text: 'door', icon_url: null },
        },
      ],
      username: 'Deployments',
    }),
    expected: {
      name: 'Deployments',
      content: 'Deployed',
      embeds: [
        {
          title: 'Build 7',
          description: 'all green',
          timestamp: '2026-01-15T12:00:00.000Z',
          color: 0x2ecc71,
          footer: { text: 'door' },
          author: { name: 'CI' },
          fields: [{ name: 'Branch', value: 'main', inline: true }],
        },
      ],
    },
  },
  {
    program: 'Grafana, contact point Discord, with a screenshot URL',
    source: 'grafana/alerting receivers/discord/v1/discord.go',
    suffix: '',
    contentType: json,
    body: JSON.stringify(grafanaDiscord),
    expected: {
      name: 'Grafana',
      content: firing,
      embeds: [
        {
          title: '[FIRING:1] DiskFull (db1)',
          url: 'https://grafana.example/alerting/list',
          color: 0xd63232,
          footer: { text: 'Grafana v12.1.0', icon_url: icon },
        },
        { title: 'DiskFull', color: 0xd63232, image: { url: 'https://img.example/panel.png' } },
      ],
    },
  },
  {
    program: 'Grafana, contact point Discord, with a screenshot as a file',
    source: 'grafana/alerting receivers/discord/v1/discord.go',
    suffix: '',
    contentType: 'multipart/form-data; boundary=xx',
    body: multipartBody([
      multipartField(
        'payload_json',
        JSON.stringify(grafanaDiscord).replace('https://img.example/', 'attachment://'),
      ),
      'Content-Disposition: form-data; name=""; filename="panel.png"\r\nContent-Type: application/octet-stream\r\n\r\nPNG',
    ]),
    expected: undefined,
  },
  {
    program: 'Grafana, contact point Slack',
    source: 'grafana/alerting receivers/slack/v1/slack.go',
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
          text: `${firing}\n`,
          image_url: 'https://img.example/panel.png',
          fallback: '[FIRING:1] DiskFull (db1)',
          footer: 'Grafana v12.1.0',
          footer_icon: icon,
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
          description: `@channel @subteam\n${firing.replaceAll('*', '\\*').replaceAll(' - ', ' \\- ')}`,
          url: 'https://grafana.example/alerting/list',
          timestamp: '2026-01-15T12:00:00.000Z',
          color: 0xd63232,
          footer: { text: 'Grafana v12.1.0', icon_url: icon },
          image: { url: 'https://img.example/panel.png' },
        },
      ],
    },
  },
  {
    program: 'Uptime Kuma, Discord',
    source: 'louislam/uptime-kuma server/notification-providers/discord.js',
    suffix: '',
    contentType: json,
    body: JSON.stringify({
      username: 'Uptime Kuma',
      embeds: [
        {
          title: '❌ Your service Shop went down. ❌',
          color: 16711680,
          timestamp: '2026-01-15 11:59:30.123',
          fields: [
            { name: 'Service Name', value: 'Shop' },
            { name: 'Service URL', value: 'https://shop.example/' },
            { name: 'Went Offline', value: '<t:1768478370:F>' },
            { name: 'Time (Europe/Berlin)', value: '2026-01-15 12:59:30' },
            { name: 'Error', value: 'connect ECONNREFUSED 192.0.2.7:443' },
          ],
        },
      ],
      avatar_url: 'https://github.com/louislam/uptime-kuma/raw/master/public/icon.png',
      flags: 4096,
    }),
    expected: {
      name: 'Uptime Kuma',
      content: '',
      embeds: [
        {
          title: '❌ Your service Shop went down. ❌',
          timestamp: '2026-01-15T11:59:30.123Z',
          color: 0xff0000,
          fields: [
            { name: 'Service Name', value: 'Shop', inline: false },
            { name: 'Service URL', value: 'https://shop.example/', inline: false },
            { name: 'Went Offline', value: '<t:1768478370:F>', inline: false },
            { name: 'Time (Europe/Berlin)', value: '2026-01-15 12:59:30', inline: false },
            { name: 'Error', value: 'connect ECONNREFUSED 192.0.2.7:443', inline: false },
          ],
        },
      ],
    },
  },
  {
    program: 'Uptime Kuma, Slack',
    source: 'louislam/uptime-kuma server/notification-providers/slack.js',
    suffix: '/slack',
    contentType: json,
    body: JSON.stringify({
      text: 'Uptime Kuma Alert\n[Shop] [🔴 Down] connect ECONNREFUSED <!channel>',
      channel: '#alerts',
      username: 'Uptime Kuma',
      icon_emoji: ':bear:',
      attachments: [
        {
          color: '#e01e5a',
          blocks: [
            { type: 'header', text: { type: 'plain_text', text: 'Uptime Kuma Alert' } },
            {
              type: 'section',
              fields: [
                { type: 'mrkdwn', text: '*Message*\n[Shop] [🔴 Down] connect ECONNREFUSED <!channel>' },
                { type: 'mrkdwn', text: '*Time (UTC)*\n2026-01-15 11:59:30.123' },
              ],
            },
            {
              type: 'actions',
              elements: [
                {
                  type: 'button',
                  text: { type: 'plain_text', text: 'Visit Uptime Kuma' },
                  value: 'Uptime-Kuma',
                  url: 'https://status.example/dashboard/1',
                },
              ],
            },
          ],
        },
      ],
    }),
    expected: {
      name: 'Uptime Kuma',
      content: 'Uptime Kuma Alert\n[Shop] [🔴 Down] connect ECONNREFUSED @channel',
      embeds: [
        {
          description:
            '**Uptime Kuma Alert**\n**Message**\n[Shop] [🔴 Down] connect ECONNREFUSED @channel\n**Time (UTC)**\n2026-01-15 11:59:30.123\n[Visit Uptime Kuma](https://status.example/dashboard/1)',
          color: 0xe01e5a,
        },
      ],
    },
  },
  {
    program: 'Gitea and Forgejo, Discord',
    source: 'go-gitea/gitea services/webhook/discord.go',
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
            title: '[octo/hello:main] 2 new commits',
            description:
              '[a1b2c3d](https://git.example/octo/hello/commit/a1b2c3d) Fix the door - Mona\n[d4e5f6a](https://git.example/octo/hello/commit/d4e5f6a) Paint it - Mona',
            url: 'https://git.example/octo/hello/compare/0...1',
            color: 1754624,
            footer: { text: '' },
            author: {
              name: 'mona',
              url: 'https://git.example/mona',
              icon_url: 'https://git.example/avatars/1',
            },
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
          title: '[octo/hello:main] 2 new commits',
          description:
            '[a1b2c3d](https://git.example/octo/hello/commit/a1b2c3d) Fix the door - Mona\n[d4e5f6a](https://git.example/octo/hello/commit/d4e5f6a) Paint it - Mona',
          url: 'https://git.example/octo/hello/compare/0...1',
          color: 0x1ac600,
          author: {
            name: 'mona',
            url: 'https://git.example/mona',
            icon_url: 'https://git.example/avatars/1',
          },
        },
      ],
    },
  },
  {
    program: 'Gitea and Forgejo, Slack',
    source: 'go-gitea/gitea services/webhook/slack.go',
    suffix: '/slack',
    contentType: json,
    body: JSON.stringify({
      channel: '#builds',
      text: '[<https://git.example/octo/hello|octo/hello>:<https://git.example/octo/hello/src/branch/main|main>] <https://git.example/octo/hello/compare/0...1|1 new commit> pushed by mona',
      username: 'Gitea',
      icon_url: '',
      unfurl_links: 0,
      link_names: 0,
      attachments: [
        {
          fallback: '',
          color: '#36a64f',
          title: 'https://git.example/octo/hello',
          title_link: 'https://git.example/octo/hello',
          text: '<https://git.example/octo/hello/commit/a1b2c3d|a1b2c3d>: Fix &lt;Door&gt; &amp; frame - Mona',
        },
      ],
    }),
    expected: {
      name: 'Gitea',
      content:
        '[[octo/hello](https://git.example/octo/hello):[main](https://git.example/octo/hello/src/branch/main)] [1 new commit](https://git.example/octo/hello/compare/0...1) pushed by mona',
      embeds: [
        {
          title: 'https://git.example/octo/hello',
          description: '[a1b2c3d](https://git.example/octo/hello/commit/a1b2c3d): Fix <Door> & frame - Mona',
          url: 'https://git.example/octo/hello',
          color: 0x36a64f,
        },
      ],
    },
  },
  {
    program: 'Healthchecks, Discord and Slack',
    source: 'healthchecks/healthchecks templates/integrations/slack_message.json',
    suffix: '/slack',
    contentType: json,
    body: JSON.stringify({
      username: 'Healthchecks',
      icon_url: 'https://hc.example/static/img/logo.png',
      attachments: [
        {
          color: 'danger',
          fallback: 'The check "Nightly backup" is DOWN.',
          mrkdwn_in: ['fields'],
          title: '“Nightly backup” is DOWN.',
          title_link: 'https://hc.example/cloaked/f00/',
          fields: [
            { title: 'Project', value: 'Servers', short: true },
            { title: 'Tags', value: '`db` `prod` ', short: true },
            { title: 'Schedule', value: '0 3 \\* \\* \\*', short: true },
            { title: 'Last Ping', value: 'Success, 1 day ago', short: true },
            { title: 'Total Pings', value: '271', short: true },
          ],
        },
      ],
    }),
    expected: {
      name: 'Healthchecks',
      content: '',
      embeds: [
        {
          title: '“Nightly backup” is DOWN.',
          url: 'https://hc.example/cloaked/f00/',
          color: 0xe01e5a,
          fields: [
            { name: 'Project', value: 'Servers', inline: true },
            { name: 'Tags', value: '`db` `prod`', inline: true },
            // Healthchecks escapes for Mattermost. On Slack, and here, the backslashes are shown.
            { name: 'Schedule', value: String.raw`0 3 \\\* \\\* \\\*`, inline: true },
            { name: 'Last Ping', value: 'Success, 1 day ago', inline: true },
            { name: 'Total Pings', value: '271', inline: true },
          ],
        },
      ],
    },
  },
  {
    program: 'Jenkins, Discord Notifier',
    source:
      'jenkinsci/discord-notifier-plugin src/main/java/nz/co/jammehcow/jenkinsdiscord/DiscordWebhook.java',
    suffix: '',
    contentType: 'multipart/form-data; boundary=xx',
    body: multipartBody([
      `Content-Disposition: form-data; name="payload_json"\r\nContent-Type: text/plain; charset=UTF-8\r\nContent-Transfer-Encoding: 8bit\r\n\r\n${JSON.stringify(
        {
          avatar_url: 'https://get.jenkins.io/art/jenkins-logo/1024x1024/headshot.png',
          embeds: [
            {
              color: 11278871,
              footer: { text: 'Jenkins v2.541, Discord Notifier v260' },
              description:
                '**Build:** #7\n**Status:** failure\n**Changes:**\n   - `a1b2c3` *Öffne die Tür - Mona*',
              title: 'hello » main #7',
              fields: [],
              url: 'https://ci.example/job/hello/7/',
            },
          ],
          username: 'Jenkins',
        },
      )}`,
    ]),
    expected: {
      name: 'Jenkins',
      content: '',
      embeds: [
        {
          title: 'hello » main #7',
          description:
            '**Build:** #7\n**Status:** failure\n**Changes:**\n   - `a1b2c3` *Öffne die Tür - Mona*',
          url: 'https://ci.example/job/hello/7/',
          color: 0xac1a17,
          footer: { text: 'Jenkins v2.541, Discord Notifier v260' },
        },
      ],
    },
  },
  {
    program: 'Jenkins, Slack Notification',
    source: 'jenkinsci/slack-plugin src/main/java/jenkins/plugins/slack/StandardSlackService.java',
    suffix: '/slack',
    contentType: `${form}; charset=UTF-8`,
    body: new URLSearchParams({
      payload: JSON.stringify({
        channel: '#builds',
        attachments: [
          {
            fallback: 'hello » main - #7 Failure after 3 min (<https://ci.example/job/hello/7/|Open>)',
            color: 'danger',
            fields: [
              {
                short: false,
                value: 'hello » main - #7 Failure after 3 min (<https://ci.example/job/hello/7/|Open>)',
              },
            ],
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
              value: 'hello » main - #7 Failure after 3 min ([Open](https://ci.example/job/hello/7/))',
              inline: false,
            },
          ],
        },
      ],
    },
  },
  {
    program: 'GitLab, Slack notifications',
    source: 'gitlabhq/gitlabhq app/models/integrations/chat_message/pipeline_message.rb',
    suffix: '/slack',
    contentType: form,
    body: new URLSearchParams({
      payload: JSON.stringify({
        username: 'GitLab',
        attachments: [
          {
            fallback:
              '<https://gitlab.example/octo/hello|hello>: Pipeline <https://gitlab.example/octo/hello/-/pipelines/42|#42> has failed in 03:20',
            color: 'danger',
            author_name: 'Mona (mona)',
            author_icon: 'https://gitlab.example/uploads/avatar.png',
            author_link: 'https://gitlab.example/mona',
            title: 'Pipeline #42 has failed in 03:20',
            title_link: 'https://gitlab.example/octo/hello/-/pipelines/42/failures',
            fields: [
              {
                title: 'Branch',
                value: '<https://gitlab.example/octo/hello/-/commits/main|main>',
                short: true,
              },
              {
                title: 'Commit',
                value: '<https://gitlab.example/octo/hello/-/commit/a1b2c3|Fix the door [skip docs]>',
                short: true,
              },
              {
                title: 'Failed stage',
                value: '<https://gitlab.example/octo/hello/-/pipelines/42/failures|test>',
                short: true,
              },
            ],
            footer: 'hello',
            footer_icon: 'https://gitlab.example/uploads/project.png',
            ts: 1_768_478_400,
          },
        ],
        text: '',
        fallback: 'hello: Pipeline #42 has failed in 03:20',
      }),
    }).toString(),
    expected: {
      name: 'GitLab',
      content: '',
      embeds: [
        {
          title: 'Pipeline #42 has failed in 03:20',
          url: 'https://gitlab.example/octo/hello/-/pipelines/42/failures',
          timestamp: '2026-01-15T12:00:00.000Z',
          color: 0xe01e5a,
          footer: { text: 'hello', icon_url: 'https://gitlab.example/uploads/project.png' },
          author: {
            name: 'Mona (mona)',
            url: 'https://gitlab.example/mona',
            icon_url: 'https://gitlab.example/uploads/avatar.png',
          },
          fields: [
            {
              name: 'Branch',
              value: '[main](https://gitlab.example/octo/hello/-/commits/main)',
              inline: true,
            },
            {
              name: 'Commit',
              value: '[Fix the door \\[skip docs\\]](https://gitlab.example/octo/hello/-/commit/a1b2c3)',
              inline: true,
            },
            {
              name: 'Failed stage',
              value: '[test](https://gitlab.example/octo/hello/-/pipelines/42/failures)',
              inline: true,
            },
          ],
        },
      ],
    },
  },
  {
    program: 'GitHub Actions, actions-status-discord',
    source: 'sarisia/actions-status-discord src/main.ts',
    suffix: '',
    contentType: json,
    body: JSON.stringify({
      embeds: [
        {
          color: 0xcb2431,
          timestamp: '2026-01-15T12:00:00.000Z',
          title: 'Failure: deploy',
          fields: [
            { name: 'Repository', value: '[octo/hello](https://github.com/octo/hello)', inline: true },
            { name: 'Ref', value: 'refs/heads/main', inline: true },
            {
              name: 'Event - push',
              value: '[`a1b2c3d`](https://github.com/octo/hello/commit/a1b2c3d) Fix the door',
              inline: false,
            },
            { name: 'Triggered by', value: 'mona', inline: true },
            {
              name: 'Workflow',
              value: '[CI](https://github.com/octo/hello/commit/a1b2c3d/checks)',
              inline: true,
            },
          ],
        },
      ],
    }),
    expected: {
      name: 'Alerts',
      content: '',
      embeds: [
        {
          title: 'Failure: deploy',
          timestamp: '2026-01-15T12:00:00.000Z',
          color: 0xcb2431,
          fields: [
            { name: 'Repository', value: '[octo/hello](https://github.com/octo/hello)', inline: true },
            { name: 'Ref', value: 'refs/heads/main', inline: true },
            {
              name: 'Event - push',
              value: '[`a1b2c3d`](https://github.com/octo/hello/commit/a1b2c3d) Fix the door',
              inline: false,
            },
            { name: 'Triggered by', value: 'mona', inline: true },
            {
              name: 'Workflow',
              value: '[CI](https://github.com/octo/hello/commit/a1b2c3d/checks)',
              inline: true,
            },
          ],
        },
      ],
    },
  },
  {
    program: 'GitHub Actions, action-slack-notify',
    source: 'rtCamp/action-slack-notify main.go',
    suffix: '/slack',
    contentType: json,
    body: JSON.stringify({
      username: 'rtBot',
      icon_url: 'https://github.com/rtBot.png?size=32',
      channel: 'builds',
      unfurl_links: false,
      attachments: [
        {
          fallback: 'Deployed',
          color: 'good',
          author_name: 'mona',
          author_link: 'https://github.com/mona',
          author_icon: 'https://github.com/mona.png?size=32',
          footer:
            "<https://github.com/rtCamp/github-actions-library|Powered By rtCamp's GitHub Actions Library>",
          fields: [
            { title: 'Ref', value: 'refs/heads/main', short: true },
            { title: 'Event', value: 'push', short: true },
            {
              title: 'Actions URL',
              value: '<https://github.com/octo/hello/actions/runs/1/attempts/1|CI>',
              short: true,
            },
            { title: 'Commit', value: '<https://github.com/octo/hello/commit/a1b2c3d|a1b2c3>', short: true },
            { title: 'Message', value: 'Deployed' },
          ],
        },
      ],
    }),
    expected: {
      name: 'rtBot',
      content: '',
      embeds: [
        {
          color: 0x2eb67d,
          footer: { text: "Powered By rtCamp's GitHub Actions Library" },
          author: {
            name: 'mona',
            url: 'https://github.com/mona',
            icon_url: 'https://github.com/mona.png?size=32',
          },
          fields: [
            { name: 'Ref', value: 'refs/heads/main', inline: true },
            { name: 'Event', value: 'push', inline: true },
            {
              name: 'Actions URL',
              value: '[CI](https://github.com/octo/hello/actions/runs/1/attempts/1)',
              inline: true,
            },
            {
              name: 'Commit',
              value: '[a1b2c3](https://github.com/octo/hello/commit/a1b2c3d)',
              inline: true,
            },
            { name: 'Message', value: 'Deployed', inline: false },
          ],
        },
      ],
    },
  },
  {
    program: 'GitHub Actions, action-slack',
    source: '8398a7/action-slack src/client.ts',
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
          fields: [
            { title: 'repo', value: '<https://github.com/octo/hello|octo/hello>', short: true },
            { title: 'author', value: 'Mona<mona@example.com>', short: true },
          ],
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
          fields: [
            { name: 'repo', value: '[octo/hello](https://github.com/octo/hello)', inline: true },
            { name: 'author', value: String.raw`Mona\<mona@example.com>`, inline: true },
          ],
        },
      ],
    },
  },
]
