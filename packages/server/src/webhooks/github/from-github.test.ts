import assert from 'node:assert/strict'
import { test } from 'node:test'
import { checkEmbeds } from '@gatehouse/protocol/embeds'
import fc from 'fast-check'
import { fromGithub } from './from-github.ts'

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

function card(event: string, payload: object) {
  return fromGithub(event, { repository, sender, ...payload })?.embeds[0]
}

function shown(
  event: string,
  payload: object,
): [string | undefined, string | undefined, number | undefined] | undefined {
  const found = card(event, payload)
  return found && [found.title, found.description, found.color]
}

const good = 0x2da44e
const bad = 0xcf222e
const merged = 0x8250df
const waiting = 0xbf8700
const plain = 0x6e7781

test('a card has the sender as author, and repository and what happened as a title with a link (D48)', () => {
  const issue = {
    number: 3,
    title: 'It breaks',
    html_url: 'https://github.com/octo/hello/issues/3',
    body: 'When I…',
  }
  assert.deepEqual(card('issues', { action: 'opened', issue }), {
    title: '[octo/hello] Issue opened: #3 It breaks',
    description: 'When I…',
    url: 'https://github.com/octo/hello/issues/3',
    color: good,
    author: {
      name: 'mona',
      url: 'https://github.com/mona',
      icon_url: 'https://avatars.githubusercontent.com/u/1?v=4',
    },
  })
})

test('push: the commits with links, authors, and what would be markup as text', () => {
  const commit = (i: number, message: string) => ({
    id: `${i}`.repeat(40),
    url: `https://github.com/octo/hello/commit/${i}`,
    message,
    author: { name: 'Mona Lisa', username: 'mona' },
  })
  const push = { ref: 'refs/heads/main', compare: 'https://github.com/octo/hello/compare/a...b' }
  const two = card('push', {
    ...push,
    commits: [commit(1, 'Fix *it*\n\nlong text'), commit(2, '[x](http://evil)')],
  })
  assert.equal(two?.title, '[octo/hello:main] 2 new commits')
  assert.equal(two?.url, push.compare)
  assert.equal(
    two?.description,
    '[`1111111`](https://github.com/octo/hello/commit/1) Fix \\*it\\* – mona\n' +
      '[`2222222`](https://github.com/octo/hello/commit/2) \\[x\\]\\(http://evil\\) – mona',
  )
  const one = card('push', { ...push, commits: [commit(1, 'x')], forced: true })
  assert.deepEqual(
    [one?.title, one?.url, one?.color],
    ['[octo/hello:main] 1 new commit, force-pushed', 'https://github.com/octo/hello/commit/1', waiting],
  )
  const many = card('push', { ...push, commits: Array.from({ length: 25 }, (_, i) => commit(i % 10, 'x')) })
  assert.equal(many?.description?.split('\n').at(-1), 'and 15 more')
  assert.equal(card('push', { ...push, commits: [], created: true, forced: true }), undefined)
  assert.equal(card('push', { ...push, commits: [] }), undefined)
  assert.equal(
    card('push', { ...push, commits: [], forced: true, after: 'abcdef0123' })?.title,
    '[octo/hello:main] Force-pushed to abcdef0',
  )
})

test('each event says what happened, coloured by its outcome', () => {
  const pull_request = { number: 1, title: 'Add', html_url: 'https://github.com/p', body: 'why' }
  const issue = { number: 3, title: 'It' }
  const comment = { html_url: 'https://github.com/c', body: 'I see', commit_id: '0123456789' }
  for (const [event, payload, ...expected] of [
    ['pull_request', { action: 'opened', pull_request }, 'Pull request opened: #1 Add', 'why', good],
    ['pull_request', { action: 'closed', pull_request }, 'Pull request closed: #1 Add', undefined, bad],
    [
      'pull_request',
      { action: 'closed', pull_request: { ...pull_request, merged: true } },
      'Pull request merged: #1 Add',
      undefined,
      merged,
    ],
    [
      'pull_request',
      { action: 'ready_for_review', pull_request },
      'Pull request ready for review: #1 Add',
      undefined,
      good,
    ],
    [
      'pull_request_review',
      { action: 'submitted', pull_request, review: { state: 'approved' } },
      'Pull request approved: #1 Add',
      undefined,
      good,
    ],
    [
      'pull_request_review',
      { action: 'submitted', pull_request, review: { state: 'changes_requested', body: 'no' } },
      'Pull request changes requested: #1 Add',
      'no',
      bad,
    ],
    [
      'pull_request_review_comment',
      { action: 'created', pull_request, comment },
      'New review comment on pull request #1 Add',
      'I see',
      plain,
    ],
    ['issues', { action: 'closed', issue }, 'Issue closed: #3 It', undefined, merged],
    ['issue_comment', { action: 'created', issue, comment }, 'New comment on issue #3 It', 'I see', plain],
    [
      'issue_comment',
      { action: 'created', issue: { ...issue, pull_request: {} }, comment },
      'New comment on pull request #3 It',
      'I see',
      plain,
    ],
    ['commit_comment', { action: 'created', comment }, 'New comment on commit 0123456', 'I see', plain],
    [
      'discussion',
      { action: 'created', discussion: { number: 9, title: 'Why', body: 'so' } },
      'Discussion created: #9 Why',
      'so',
      plain,
    ],
    [
      'discussion_comment',
      { action: 'created', discussion: { number: 9, title: 'Why' }, comment },
      'New comment on discussion #9 Why',
      'I see',
      plain,
    ],
    [
      'release',
      { action: 'published', release: { tag_name: 'v1', name: '', body: 'news' } },
      'Release published: v1',
      'news',
      good,
    ],
    [
      'release',
      { action: 'published', release: { name: 'One', prerelease: true } },
      'Pre-release published: One',
      undefined,
      good,
    ],
    [
      'check_run',
      {
        action: 'completed',
        check_run: { name: 'ci', conclusion: 'failure', output: { title: '2 failed' } },
      },
      'ci: failure',
      '2 failed',
      bad,
    ],
    [
      'check_suite',
      { action: 'completed', check_suite: { app: { name: 'CI' }, conclusion: 'success' } },
      'CI: success',
      undefined,
      good,
    ],
    [
      'workflow_run',
      { action: 'completed', workflow_run: { name: 'Build', conclusion: 'timed_out' } },
      'Build: timed out',
      undefined,
      bad,
    ],
    ['status', { state: 'error', context: 'ci/x', description: 'boom' }, 'ci/x: error', 'boom', bad],
    [
      'deployment_status',
      { deployment_status: { state: 'success', environment: 'prod' } },
      'Deployment to prod: success',
      undefined,
      good,
    ],
    ['star', { action: 'created' }, 'New star added', '⭐ 7', waiting],
    ['fork', { forkee: { full_name: 'eve/hello' } }, 'Fork created: eve/hello', undefined, plain],
    ['create', { ref_type: 'branch', ref: 'next' }, 'New branch created: next', undefined, plain],
    ['delete', { ref_type: 'tag', ref: 'v0' }, 'Tag deleted: v0', undefined, bad],
    ['member', { action: 'added', member: { login: 'eve' } }, 'New collaborator added: eve', undefined, good],
    ['public', {}, 'Now open to the public', undefined, good],
    ['repository', { action: 'archived' }, 'Repository archived', undefined, plain],
    ['gollum', { pages: [{ action: 'created', title: 'Home' }] }, 'Wiki changed', 'created: Home', plain],
  ] as [string, object, string, string | undefined, number][]) {
    assert.deepEqual(shown(event, payload), [`[octo/hello] ${expected[0]}`, expected[1], expected[2]], event)
  }
})

test('what nobody waits for is not shown', () => {
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
    assert.equal(card(event, payload), undefined, `${event} ${JSON.stringify(payload)}`)
  }
})

test('long texts are cut and addresses that are none are left out', () => {
  const issue = { number: 1, title: 'x'.repeat(500), body: 'y'.repeat(100_000), html_url: 'javascript:1' }
  const found = card('issues', {
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

test('whatever comes under whichever name is a good card or none', () => {
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
      const draft = fromGithub(event, payload)
      if (draft) assert.deepEqual([checkEmbeds(draft.embeds).faults, draft.embeds.length], [[], 1])
    }),
    { seed: 48, numRuns: 1500 },
  )
})
