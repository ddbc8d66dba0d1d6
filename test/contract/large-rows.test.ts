/**
 * Every list whose rows have free text is one of those that the full run reads with a hundred of the largest rows and forty slow readers
 * (`test/scripts/large-lists.test.ts`), has the rows of such a list, or has texts that are short by a rule.
 */
import type { TSchema } from 'typebox'
import { expect, test } from 'vitest'
import { everyServed } from './world/fixtures.ts'

/** Read by the full run. */
const read = [
  'GET /projects/:id/repository/commits',
  'GET /projects/:id/repository/branches',
  'GET /projects/:id/repository/tags',
  'GET /projects/:id/repository/commits/:sha/comments',
  'GET /projects/:id/repository/commits/:sha/discussions',
  'GET /projects/:id/releases',
  'GET /projects/:id/issues',
  'GET /projects/:id/issues/:issue_iid/notes',
  'GET /projects/:id/issues/:issue_iid/discussions',
  'GET /projects/:id/issues/:issue_iid/resource_milestone_events',
  'GET /projects/:id/milestones/:milestone_id/issues',
  'GET /projects/:id/merge_requests',
  'GET /projects/:id/merge_requests/:merge_request_iid/draft_notes',
  'GET /projects/:id/milestones',
  'GET /projects/:id/labels',
  'GET /projects/:id/events',
  'GET /projects/:id/search',
  'GET /projects/:id/snippets',
  'GET /projects/:id/jobs',
  'GET /projects/:id/hooks/:hook_id/events',
  'GET /projects/:id/feature_flags_user_lists',
  'GET /todos',
]

/** Have the rows of one of these, by the same code. */
const alike = [
  /^GET \/(?:groups\/:id\/)?(?:issues|merge_requests|events|search|-\/search|snippets|labels|milestones)$/,
  /^GET \/projects\/:id\/-\/search$/,
  /^GET \/users\/:id\/events$/,
  /^GET \/snippets\/(?:public|all)$/,
  /^GET \/(?:projects|groups)\/:id\/milestones\/:milestone_id\/(?:issues|merge_requests)$/,
  /^GET \/projects\/:id\/issues\/:issue_iid\/(?:links|closed_by|related_merge_requests)$/,
  /^GET \/projects\/:id\/merge_requests\/:merge_request_iid\/(?:closes_issues|related_issues|blocks|blockees|commits|context_commits|notes|discussions|resource_milestone_events)$/,
  /^GET \/projects\/:id\/merge_trains/,
  /^GET \/projects\/:id\/snippets\/:snippet_id\/(?:notes|discussions)$/,
  /^GET \/projects\/:id\/(?:repository\/commits\/:sha|deployments\/:deployment_id)\/merge_requests$/,
  /^GET \/projects\/:id\/commits\/:sha\/discussions$/,
  /^GET \/projects\/:id\/pipelines\/:pipeline_id\/(?:jobs|bridges)$/,
  /^GET \/groups\/:id\/releases$/,
  /^GET \/projects\/:id\/resource_groups\/:key\/upcoming_jobs$/,
  /^GET \/runners\/:id\/jobs$/,
  /^GET \/(?:groups\/:id\/)?hooks\/:hook_id\/events$/,
  /^GET \/projects\/:id\/services\/:slug\/events$/,
]

/** Reasons why the texts of all other lists are short. */
const short: ReadonlyArray<readonly [name: RegExp, why: string]> = [
  [/\/(?:boards|lists|resource_label_events)$/, 'have the labels and milestones of at most a hundred columns, read one row at a time'],
  [/\/diffs?$/, 'files beyond 200 KiB are told of, not shown'],
  [/\/(?:variables)$/, 'values have 10,000 characters'],
  [/\/broadcast_messages$/, '10,000 characters'],
  [/\/feature_flags$/, 'all flags of a project together have 4,000,000'],
  [/\/templates\//, 'texts of the program, and files of the default branch without their content'],
  [/gpg_keys$|\/keys$|deploy_keys$/, 'a key has at most 256 KiB, and is verified'],
  [/(?:tokens|users|service_accounts|statuses|\/groups|groups|triggers|pipeline_schedules)$/, '255 characters'],
  [/(?:projects|\/forks|\/shared|\/topics|allowlist|\/hooks|\/runners|\/all)$/, '2,000 characters'],
  [/\/environments$/, '10,000 characters'],
  [/status_checks$/, 'a project has at most 100, each with a name, a URL of 2,048 characters and 100 branches'],
  [/\/protected_environments$/, 'an environment has at most 200 rules, each of which shows one name'],
  [/\/approval_rules$/, 'a rule names at most 1,000 users and groups, whose descriptions are short, and shows 1,000 who can approve'],
]

const freeText =
  /^(?:body|note|message|description|description_html|content|diff|value|key|user_xids|request_data|response_data|data|text)$/

/** The names of texts anywhere in a row. */
function textsIn(schema: TSchema): string[] {
  const { anyOf = [], items, properties = {} } = schema as { anyOf?: TSchema[]; items?: TSchema; properties?: Record<string, TSchema> }
  const inner = [...anyOf, ...(items ? [items] : [])].flatMap(textsIn)
  const own = Object.entries(properties).flatMap(([name, field]) => [...(isText(field) ? [name] : []), ...textsIn(field)])
  return [...new Set([...own, ...inner])]
}

function isText(schema: TSchema): boolean {
  const { anyOf = [], type } = schema as { anyOf?: TSchema[]; type?: string | string[] }
  return [type].flat().some((one) => one === 'string' || one === 'object') || anyOf.some(isText)
}

const lists = everyServed.filter(({ endpoint }) => endpoint.kind === 'list')

test('each list with free text is read by the full run, is like one, or is short by a rule', () => {
  const free = lists.filter(({ endpoint }) => endpoint.reply && textsIn(endpoint.reply).some((name) => freeText.test(name)))
  const unknown = free
    .map(({ name }) => name)
    .filter((name) => {
      return !read.includes(name) && !alike.some((one) => one.test(name)) && !short.some(([one]) => one.test(name))
    })
  expect(free.length).toBeGreaterThan(60)
  expect(unknown, 'add it to `read`, `alike` or `short` of this file').toEqual([])
})

test('each of these lists is there', () => {
  const names = lists.map(({ name }) => name)
  expect(read.filter((name) => !names.includes(name))).toEqual([])
  expect([...alike, ...short.map(([one]) => one)].filter((one) => !names.some((name) => one.test(name)))).toEqual([])
})
