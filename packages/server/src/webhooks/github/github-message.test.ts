import assert from 'node:assert/strict'
import { test } from 'node:test'
import { checkEmbeds } from '@gatehouse/protocol/embeds'
import fc from 'fast-check'
import { parseGithubEvent } from './github-message.ts'

const repository = {
  full_name: 'octo/hello',
  html_url: 'https://github.com/octo/hello',
  stargazers_count: 7,
}
const sender = {
  login: 'mona',
  html_url: 'https://github.com/mona',
  avatar_url: 'https://avatars.githubusercontent.com/u/1?v=4',
}

function toEmbed(event: string, payload: object) {
  return parseGithubEvent(event, { repository, sender, ...payload })?.embeds[0]
}

function summarize(
  event: string,
  payload: object,
): [string | undefined, string | undefined, number | undefined] | undefined {
  const embed = toEmbed(event, payload)
  return embed && [embed.title, embed.description, embed.color]
}

const green = 0x2da44e
const red = 0xcf222e
const purple = 0x8250df
const yellow = 0xbf8700
const gray = 0x6e7781

test('the embed has the sender as author and a linked title with repository and event (webhooks/github)', () => {
  const issue = {
    number: 3,
    title: 'It breaks',
    html_url: 'https://github.com/octo/hello/issues/3',
    body: 'When I…',
  }
  assert.deepEqual(toEmbed('issues', { action: 'opened', issue }), {
    title: '[octo/hello] Issue opened: #3 It breaks',
    description: 'When I…',
    url: 'https://github.com/octo/hello/issues/3',
    color: green,
    author: {
      name: 'mona',
      url: 'https://github.com/mona',
      icon_url: 'https://avatars.githubusercontent.com/u/1?v=4',
    },
  })
})

test('converts a push to a list of commits with links, authors and escaped Markdown', () => {
  const commit = (i: number, message: string) => ({
    id: `${i}`.repeat(40),
    url: `https://github.com/octo/hello/commit/${i}`,
    message,
    author: { name: 'Mona Lisa', username: 'mona' },
  })
  const push = { ref: 'refs/heads/main', compare: 'https://github.com/octo/hello/compare/a...b' }
  const two = toEmbed('push', {
    ...push,
    commits: [commit(1, 'Fix *it*\n\nlong text'), commit(2, '[x](http://evil)')],
  })
  assert.equal(two?.title, '[octo/hello:main] 2 new commits')
  assert.equal(two?.url, push.compare)
  assert.equal(
    two?.description,
    '[`1111111`](https://github.com/octo/hello/commit/1) Fix \\*it\\* – mona\n' +
      '[`2222222`](https://github.com/octo/hello/commit/2) [x\\](http://evil) – mona',
  )
  const one = toEmbed('push', { ...push, commits: [commit(1, 'x')], forced: true })
  assert.deepEqual(
    [one?.title, one?.url, one?.color],
    ['[octo/hello:main] 1 new commit, force-pushed', 'https://github.com/octo/hello/commit/1', yellow],
  )
  const many = toEmbed('push', {
    ...push,
    commits: Array.from({ length: 25 }, (_, i) => commit(i % 10, 'x')),
  })
  assert.equal(many?.description?.split('\n').at(-1), 'and 15 more')
  assert.equal(toEmbed('push', { ...push, commits: [], created: true, forced: true }), undefined)
  assert.equal(toEmbed('push', { ...push, commits: [] }), undefined)
  assert.equal(
    toEmbed('push', { ...push, commits: [], forced: true, after: 'abcdef0123' })?.title,
    '[octo/hello:main] Force-pushed to abcdef0',
  )
})

test('converts each event type to a title, a description and a color', () => {
  const pull_request = { number: 1, title: 'Add', html_url: 'https://github.com/p', body: 'why' }
  const issue = { number: 3, title: 'It' }
  const comment = { html_url: 'https://github.com/c', body: 'I see', commit_id: '0123456789' }
  for (const [event, payload, ...expected] of [
    ['pull_request', { action: 'opened', pull_request }, 'Pull request opened: #1 Add', 'why', green],
    ['pull_request', { action: 'closed', pull_request }, 'Pull request closed: #1 Add', undefined, red],
    [
      'pull_request',
      { action: 'closed', pull_request: { ...pull_request, merged: true } },
      'Pull request merged: #1 Add',
      undefined,
      purple,
    ],
    [
      'pull_request',
      { action: 'ready_for_review', pull_request },
      'Pull request ready for review: #1 Add',
      undefined,
      green,
    ],
    [
      'pull_request_review',
      { action: 'submitted', pull_request, review: { state: 'approved' } },
      'Pull request approved: #1 Add',
      undefined,
      green,
    ],
    [
      'pull_request_review',
      { action: 'submitted', pull_request, review: { state: 'changes_requested', body: 'no' } },
      'Pull request changes requested: #1 Add',
      'no',
      red,
    ],
    [
      'pull_request_review_comment',
      { action: 'created', pull_request, comment },
      'New review comment on pull request #1 Add',
      'I see',
      gray,
    ],
    ['issues', { action: 'closed', issue }, 'Issue closed: #3 It', undefined, purple],
    ['issue_comment', { action: 'created', issue, comment }, 'New comment on issue #3 It', 'I see', gray],
    [
      'issue_comment',
      { action: 'created', issue: { ...issue, pull_request: {} }, comment },
      'New comment on pull request #3 It',
      'I see',
      gray,
    ],
    ['commit_comment', { action: 'created', comment }, 'New comment on commit 0123456', 'I see', gray],
    [
      'discussion',
      { action: 'created', discussion: { number: 9, title: 'Why', body: 'so' } },
      'Discussion created: #9 Why',
      'so',
      gray,
    ],
    [
      'discussion_comment',
      { action: 'created', discussion: { number: 9, title: 'Why' }, comment },
      'New comment on discussion #9 Why',
      'I see',
      gray,
    ],
    [
      'release',
      { action: 'published', release: { tag_name: 'v1', name: '', body: 'news' } },
      'Release published: v1',
      'news',
      green,
    ],
    [
      'release',
      { action: 'published', release: { name: 'One', prerelease: true } },
      'Pre-release published: One',
      undefined,
      green,
    ],
    [
      'check_run',
      {
        action: 'completed',
        check_run: { name: 'ci', conclusion: 'failure', output: { title: '2 failed' } },
      },
      'ci: failure',
      '2 failed',
      red,
    ],
    [
      'check_suite',
      { action: 'completed', check_suite: { app: { name: 'CI' }, conclusion: 'success' } },
      'CI: success',
      undefined,
      green,
    ],
    [
      'workflow_run',
      { action: 'completed', workflow_run: { name: 'Build', conclusion: 'timed_out' } },
      'Build: timed out',
      undefined,
      red,
    ],
    ['status', { state: 'error', context: 'ci/x', description: 'boom' }, 'ci/x: error', 'boom', red],
    [
      'deployment_status',
      { deployment_status: { state: 'success', environment: 'prod' } },
      'Deployment to prod: success',
      undefined,
      green,
    ],
    ['star', { action: 'created' }, 'New star added', '⭐ 7', yellow],
    ['fork', { forkee: { full_name: 'eve/hello' } }, 'Fork created: eve/hello', undefined, gray],
    ['create', { ref_type: 'branch', ref: 'next' }, 'New branch created: next', undefined, gray],
    ['delete', { ref_type: 'tag', ref: 'v0' }, 'Tag deleted: v0', undefined, red],
    [
      'member',
      { action: 'added', member: { login: 'eve' } },
      'New collaborator added: eve',
      undefined,
      green,
    ],
    ['public', {}, 'Now open to the public', undefined, green],
    ['repository', { action: 'archived' }, 'Repository archived', undefined, gray],
    ['gollum', { pages: [{ action: 'created', title: 'Home' }] }, 'Wiki changed', 'created: Home', gray],
  ] as [string, object, string, string | undefined, number][]) {
    assert.deepEqual(
      summarize(event, payload),
      [`[octo/hello] ${expected[0]}`, expected[1], expected[2]],
      `${event} ${JSON.stringify(payload)}`,
    )
  }
})

test('ignores unknown event types and actions that are not posted', () => {
  for (const [event, payload] of [
    ['ping', { zen: 'x' }],
    ['watch', { action: 'started' }],
    ['from_the_future', {}],
    ['__proto__', {}],
    ['constructor', {}],
    ['pull_request', { action: 'synchronize' }],
    ['pull_request', { action: 'labeled' }],
    ['pull_request_review', { action: 'submitted', review: { state: 'commented', body: '' } }],
    ['issues', { action: 'assigned' }],
    ['issue_comment', { action: 'edited' }],
    ['release', { action: 'created' }],
    ['check_run', { action: 'created' }],
    ['workflow_run', { action: 'in_progress' }],
    ['status', { state: 'pending' }],
    ['deployment_status', { deployment_status: { state: 'in_progress' } }],
    ['star', { action: 'deleted' }],
    ['create', { ref_type: 'repository' }],
    ['push', {}],
  ] as const) {
    assert.equal(toEmbed(event, payload), undefined, `${event} ${JSON.stringify(payload)}`)
  }
})

test('truncates long texts and drops invalid URLs', () => {
  const issue = { number: 1, title: 'x'.repeat(500), body: 'y'.repeat(100_000), html_url: 'javascript:1' }
  const found = toEmbed('issues', {
    action: 'opened',
    issue,
    sender: { login: 'z'.repeat(400), avatar_url: 'data:x' },
  })
  assert.equal(found?.title?.length, 256)
  assert.equal(found?.url, undefined)
  assert.equal(found?.author?.name.length, 256)
  assert.equal(found?.author?.icon_url, undefined)
  assert.ok(found?.description?.endsWith('…'))
})

test('converts any payload to a valid embed or to nothing', () => {
  const events = [
    'push',
    'pull_request',
    'issues',
    'issue_comment',
    'release',
    'check_run',
    'star',
    'create',
    'gollum',
    'status',
    'fork',
  ]
  const keys = [
    'action',
    'repository',
    'sender',
    'issue',
    'pull_request',
    'commits',
    'ref',
    'ref_type',
    'release',
    'check_run',
    'pages',
    'forced',
    'forkee',
    'state',
    'conclusion',
    'login',
    'full_name',
    'title',
    'body',
    'number',
    'message',
    'id',
    'html_url',
    'name',
    'author',
  ]
  const values = fc.letrec(tie => ({
    value: fc.oneof(
      { depthSize: 'medium' },
      fc.constantFrom(
        'created',
        'opened',
        'completed',
        'published',
        'branch',
        'https://a.example',
        '\u0000',
        '\ud800',
        '',
        null,
        7,
        true,
      ),
      fc.string({ maxLength: 400 }),
      fc.array(tie('value'), { maxLength: 4 }),
      fc.dictionary(fc.constantFrom(...keys), tie('value'), { maxKeys: 8 }),
    ),
  })).value
  const payloads = fc.dictionary(fc.constantFrom(...keys), values, { maxKeys: 12 })
  fc.assert(
    fc.property(fc.constantFrom(...events), payloads, (event, payload) => {
      const message = parseGithubEvent(event, payload)
      if (message) assert.deepEqual([checkEmbeds(message.embeds).violations, message.embeds.length], [[], 1])
    }),
    { seed: 48, numRuns: 1500 },
  )
})
