/** A tag named like a branch never stands for it: every endpoint that takes a name of a commit answers by the branch. */
import { expect, test } from 'vitest'
import type { Answer } from '../support/client.ts'
import { type Forge, type TestProject, testForge } from '../support/forge.ts'
import { git, gitWriting, tryGit } from '../support/git.ts'
import { sampled } from './world/budgets.ts'
import { everyServed, served } from './world/fixtures.ts'

interface Case {
  /** As in `everyServed`. */
  endpoint: string
  /** The address below the project, with the name in it. */
  path: (name: string, project: TestProject) => string
  body?: (name: string) => Record<string, unknown>
  /** A part of the reply that tells which commit the name was resolved to. */
  seen: (answer: Answer, forge: Forge, project: TestProject) => unknown
  /** Whether it costs the project something, so that each try takes a project of its own. */
  writes?: true
}

const id = ({ body }: Answer) => body?.id
const commits = 'repository/commits'

/** The first file with its line, as the diff against the parent has it. */
const diff = ({ body }: Answer) => body?.[0]?.diff

/** The commit of the branches has a discussion with one note, which was awarded an emoji. */
const discussion = 'a'.repeat(40)
const noteOf = ({ id }: TestProject) => 1_000_000 * id

const ofDiscussions: Case[] = (
  [
    ['GET', ''],
    ['GET', '/notes'],
    ['POST', '/notes'],
    ['GET', '/notes/:note_id'],
    ['PUT', '/notes/:note_id'],
    ['DELETE', '/notes/:note_id'],
  ] as const
).map(([method, below]) => ({
  endpoint: `${method} /projects/:id/${commits}/:sha/discussions/:discussion_id${below}`,
  path: (name, project) => `${commits}/${name}/discussions/${discussion}${below.replace(':note_id', String(noteOf(project)))}`,
  seen: (a) => a.status,
  ...(method === 'GET' ? {} : { writes: true }),
  ...(method === 'POST' || method === 'PUT' ? { body: () => ({ body: 'Another' }) } : {}),
}))

const list = `${commits}/:sha/discussions`
const onCommits: Case[] = [
  { endpoint: `GET /projects/:id/${list}`, path: (name) => `${commits}/${name}/discussions`, seen: (a) => a.body?.[0]?.notes[0].body },
  {
    endpoint: `POST /projects/:id/${list}`,
    path: (name) => `${commits}/${name}/discussions`,
    body: () => ({ body: 'Another' }),
    seen: (a) => a.body?.notes[0].commit_id,
    writes: true,
  },
  ...ofDiscussions,
]

/** The older addresses of the same endpoints. */
const byAlias = onCommits.map(
  (one): Case => ({
    ...one,
    endpoint: one.endpoint.replace('/repository/', '/'),
    path: (name, project) => one.path(name, project).replace('repository/', ''),
  }),
)

const ofAwards: Case[] = (
  [
    ['GET', ''],
    ['POST', ''],
    ['GET', '/:award_id'],
    ['DELETE', '/:award_id'],
  ] as const
).map(([method, below]) => ({
  endpoint: `${method} /projects/:id/${commits}/:sha/notes/:note_id/award_emoji${below}`,
  path: (name, project) => `${commits}/${name}/notes/${noteOf(project)}/award_emoji${below.replace(':award_id', String(noteOf(project)))}`,
  seen: (a) => a.status,
  ...(method === 'GET' ? {} : { writes: true }),
  ...(method === 'POST' ? { body: () => ({ name: 'rocket' }) } : {}),
}))

/** The discussion of `ofDiscussions`, with the numbers that its addresses have. */
async function discuss({ app, root }: Forge, project: TestProject, commit_oid: string): Promise<void> {
  const at = new Date().toISOString()
  const [when, id] = [{ created_at: at, updated_at: at }, noteOf(project)]
  const note = { id, project_id: project.id, commit_oid, author_id: root.id, discussion_id: discussion, body: 'On the branch', ...when }
  await app.db
    .insertInto('notes')
    .values({ ...note, type: 'DiscussionNote' })
    .execute()
  await app.db
    .insertInto('award_emoji')
    .values({ id, user_id: root.id, note_id: id, name: 'tada', ...when })
    .execute()
}

const cases: Case[] = [
  ...onCommits,
  ...byAlias.filter(({ endpoint }) => everyServed.some(({ name }) => name === endpoint)),
  ...ofAwards,
  ...(['search', '-/search'] as const).map(
    (address): Case => ({
      endpoint: `GET /projects/:id/${address}`,
      path: (name) => `${address}?scope=blobs&search=ed&ref=${name}`,
      seen: ({ body }) => body?.[0]?.data,
    }),
  ),
  { endpoint: 'GET /projects/:id/ci/lint', path: (name) => `ci/lint?sha=${name}`, seen: ({ body }) => body?.merged_yaml },
  {
    endpoint: 'POST /projects/:id/ci/lint',
    path: () => 'ci/lint',
    body: (name) => ({ content: 'include: z.yml', ref: name }),
    seen: ({ body }) => body?.merged_yaml,
  },
  {
    endpoint: 'POST /projects/:id/pipeline',
    path: () => 'pipeline',
    body: (name) => ({ ref: name }),
    seen: (a) => a.body?.sha,
    writes: true,
  },
  {
    endpoint: 'GET /projects/:id/repository/codeowners/errors',
    path: (name) => `repository/codeowners/errors?ref=${name}`,
    seen: ({ body }) => body?.commit_id,
  },
  { endpoint: `GET /projects/:id/repository/tree`, path: (name) => `repository/tree?ref=${name}`, seen: ({ body }) => body?.[0]?.id },
  {
    endpoint: 'GET /projects/:id/repository/files/:file_path',
    path: (name) => `repository/files/a?ref=${name}`,
    seen: (a) => a.body?.commit_id,
  },
  {
    endpoint: 'GET /projects/:id/repository/files/:file_path/raw',
    path: (name) => `repository/files/a/raw?ref=${name}`,
    seen: (a) => a.text,
  },
  {
    endpoint: 'GET /projects/:id/repository/files/:file_path/blame',
    path: (name) => `repository/files/a/blame?ref=${name}`,
    seen: (a) => a.body?.[0]?.commit.id,
  },
  {
    endpoint: 'GET /projects/:id/repository/archive',
    path: (name) => `repository/archive?sha=${name}`,
    seen: (a) => a.headers['content-disposition']?.slice(-48),
  },
  {
    endpoint: 'GET /projects/:id/repository/archive.:format',
    path: (name) => `repository/archive.zip?sha=${name}`,
    seen: (a) => a.headers['content-disposition']?.slice(-45),
  },
  {
    endpoint: 'GET /projects/:id/repository/compare',
    path: (name) => `repository/compare?from=start&to=${name}`,
    seen: (a) => a.body?.commit?.id,
  },
  {
    endpoint: 'GET /projects/:id/repository/compare',
    path: (name) => `repository/compare?from=${name}&to=start&straight=true`,
    seen: (a) => diff({ ...a, body: a.body?.diffs }),
  },
  { endpoint: 'GET /projects/:id/repository/merge_base', path: (name) => `repository/merge_base?refs[]=${name}&refs[]=${name}`, seen: id },
  { endpoint: 'GET /projects/:id/repository/commits', path: (name) => `${commits}?ref_name=${name}`, seen: (a) => a.body?.[0]?.id },
  { endpoint: 'GET /projects/:id/repository/commits/:sha', path: (name) => `${commits}/${name}`, seen: id },
  {
    endpoint: 'GET /projects/:id/repository/commits/:sha/signature',
    path: (name) => `${commits}/${name}/signature`,
    seen: ({ status }) => status,
  },
  {
    endpoint: 'POST /projects/:id/releases',
    path: () => 'releases',
    body: (name) => ({ tag_name: 'fresh', ref: name }),
    seen: ({ body }) => body?.commit?.id,
    writes: true,
  },
  {
    endpoint: 'GET /projects/:id/repository/commits/:sha/sequence',
    path: (name) => `${commits}/${name}/sequence`,
    seen: (a) => a.body?.count,
  },
  { endpoint: 'GET /projects/:id/repository/commits/:sha/diff', path: (name) => `${commits}/${name}/diff`, seen: diff },
  {
    endpoint: 'GET /projects/:id/repository/commits/:sha/refs',
    path: (name) => `${commits}/${name}/refs?type=branch`,
    seen: ({ body }) => body?.map((ref: { name: string }) => ref.name),
  },
  {
    endpoint: 'GET /projects/:id/repository/commits/:sha/merge_requests',
    path: (name) => `${commits}/${name}/merge_requests`,
    seen: ({ body }) => body?.map(({ iid }: { iid: number }) => iid),
  },
  {
    endpoint: 'GET /projects/:id/repository/commits/:sha/comments',
    path: (name) => `${commits}/${name}/comments`,
    seen: (a) => a.body?.[0]?.note,
  },
  {
    endpoint: 'POST /projects/:id/repository/commits/:sha/comments',
    path: (name) => `${commits}/${name}/comments`,
    body: () => ({ note: 'Another' }),
    seen: async (_, { app }, project) =>
      app.db.selectFrom('notes').select('commit_oid').where('project_id', '=', project.id).where('body', '=', 'Another').execute(),
    writes: true,
  },
  {
    endpoint: 'GET /projects/:id/repository/commits/:sha/statuses',
    path: (name) => `${commits}/${name}/statuses`,
    seen: (a) => a.body?.[0]?.sha,
  },
  {
    endpoint: 'POST /projects/:id/statuses/:sha',
    path: (name) => `statuses/${name}`,
    body: () => ({ state: 'success' }),
    seen: (a) => a.body?.sha,
    writes: true,
  },
  {
    endpoint: 'POST /projects/:id/repository/branches',
    path: () => 'repository/branches',
    body: (ref) => ({ branch: 'fresh', ref }),
    seen: (a) => a.body?.commit?.id,
    writes: true,
  },
  {
    endpoint: 'POST /projects/:id/repository/tags',
    path: () => 'repository/tags',
    body: (ref) => ({ tag_name: 'fresh', ref }),
    seen: (a) => a.body?.commit?.id,
    writes: true,
  },
  {
    endpoint: 'POST /projects/:id/repository/commits/:sha/cherry_pick',
    path: (name) => `${commits}/${name}/cherry_pick`,
    body: () => ({ branch: 'between' }),
    seen: (a) => [a.status, a.body?.title],
    writes: true,
  },
  {
    endpoint: 'POST /projects/:id/repository/commits/:sha/revert',
    path: (name) => `${commits}/${name}/revert`,
    body: () => ({ branch: 'aside' }),
    seen: (a) => [a.status, a.body?.title],
    writes: true,
  },
  {
    endpoint: 'POST /projects/:id/repository/commits',
    path: () => commits,
    body: (name) => ({
      branch: 'fresh',
      start_branch: name.replace('refs/heads/', ''),
      commit_message: 'More',
      actions: [{ action: 'create', file_path: 'b', content: 'b' }],
    }),
    seen: (a) => a.body?.parent_ids,
    writes: true,
  },
  ...(['POST', 'PUT', 'DELETE'] as const).map(
    (method): Case => ({
      endpoint: `${method} /projects/:id/repository/files/:file_path`,
      path: () => `repository/files/${method === 'POST' ? 'b' : 'a'}`,
      body: (name) => ({ branch: 'fresh', start_branch: name.replace('refs/heads/', ''), commit_message: 'More', content: 'b' }),
      seen: async (_, __, { dir }) => (await tryGit(dir, 'rev-parse', 'refs/heads/fresh~1')).stdout,
      writes: true,
    }),
  ),
]

/** Branches and tags of the same name, at commits that differ in everything. */
async function makeProject({ hasRequests = false } = {}): Promise<TestProject> {
  const forge = await testForge()
  const project = await forge.project({
    commits: ['start', 'tagged', 'branched'].map((word) => ({
      message: `Say ${word}`,
      files: { a: `${word}\n`, 'z.yml': `${word}: {script: x}\n` },
    })),
  })
  await forge.as(forge.root).put(`/projects/${project.id}`, { ci_config_path: 'z.yml' })
  const [plain, tagged, start] = (await git(project.dir, 'rev-list', 'main')).split('\n') as [string, string, string]
  const raw = await git(project.dir, 'cat-file', 'commit', plain)
  const signed = `${raw.replace('\n\n', '\ngpgsig -----BEGIN PGP SIGNATURE-----\n AAAA\n -----END PGP SIGNATURE-----\n\n')}\n`
  const tip = await gitWriting(project.dir, signed, 'hash-object', '-t', 'commit', '-w', '--stdin')
  const refs = ['main', 'folder/deep', 'cafe'].flatMap((name) => [
    [`refs/heads/${name}`, tip],
    [`refs/tags/${name}`, tagged],
  ])
  // A revert of the branch goes through there, or a pick between; one of the tag does not.
  refs.push(['refs/heads/aside', tip], ['refs/heads/between', tagged], ['refs/heads/start', start])
  await gitWriting(project.dir, refs.map(([ref, oid]) => `update ${ref} ${oid}\n`).join(''), 'update-ref', '--stdin')
  for (const [sha, note] of [
    [tip, 'On the branch'],
    [tagged, 'On the tag'],
  ] as const) {
    await forge.as(forge.root).post(`/projects/${project.id}/${commits}/${sha}/comments`, { note })
    await forge.as(forge.root).post(`/projects/${project.id}/statuses/${sha}`, { state: 'success', ref: 'main' })
  }
  await discuss(forge, project, tip)
  for (const source_branch of hasRequests ? ['aside', 'between'] : []) {
    const { iid } = await forge.mergeRequest(project, forge.root, { source_branch, target_branch: 'start' })
    await forge.as(forge.root).get(`/projects/${project.id}/merge_requests/${iid}/versions`)
  }
  return project
}

/** This run may be for chosen endpoints only. */
const asked = cases.filter((one) => served.some(({ name }) => name === one.endpoint))
const plain = asked.filter(({ writes }) => !writes)

async function see(one: Case, project: TestProject, name: string): Promise<unknown> {
  const forge = await testForge()
  const address = `/projects/${project.id}/${one.path(encodeURIComponent(name), project)}`
  const answer = await forge.as(forge.root).request(one.endpoint.split(' ', 1)[0] as string, address, one.body?.(name))
  return one.seen(answer, forge, project)
}

test.each(plain.map((one) => [one.endpoint, one] as const))('%s', async (_, one) => {
  const project = await shared()
  for (const name of ['main', 'folder/deep', 'cafe']) {
    const [seen, branch, tag] = [
      await see(one, project, name),
      await see(one, project, `refs/heads/${name}`),
      await see(one, project, `refs/tags/${name}`),
    ]
    expect([name, seen]).toEqual([name, branch])
    expect(branch).not.toBeUndefined()
    expect([name, branch]).not.toEqual([name, tag])
  }
})

/** Each takes three projects. All ask the resolver of all names: in the gate one in four does. */
const writing = sampled(
  asked.filter(({ writes }) => writes),
  4,
  ({ endpoint }) => endpoint,
)

test.each(writing.map((one) => [one.endpoint, one] as const))('%s', async (_, one) => {
  const [byBranch, byTag, byName] = [
    await see(one, await makeProject(), 'refs/heads/main'),
    await see(one, await makeProject(), 'refs/tags/main'),
    await see(one, await makeProject(), 'main'),
  ]
  expect(byBranch).not.toBeUndefined()
  expect(byName).toEqual(byBranch)
  expect(byBranch).not.toEqual(byTag)
})

test('badges and everything else that follows the default branch follow the branch', async () => {
  const forge = await testForge()
  const project = await makeProject()
  const tip = await git(project.dir, 'rev-parse', 'refs/heads/main')
  const badge = { link_url: 'https://example.com/%{commit_sha}', image_url: 'https://example.com/%{commit_sha}.png' }
  const made = await forge.as(forge.root).post(`/projects/${project.id}/badges`, badge)
  expect(made.body.rendered_link_url).toBe(`https://example.com/${tip}`)
  const tree = await forge.as(forge.root).get(`/projects/${project.id}/repository/tree`)
  expect(tree.body[0].id).toBe(await git(project.dir, 'rev-parse', 'refs/heads/main:a'))
})

let project: Promise<TestProject> | null = null

function shared(): Promise<TestProject> {
  project ??= makeProject({ hasRequests: true })
  return project
}

/** Names of parameters in which a commit may be named. */
const naming = /^(ref|refs|ref_name|sha|from|to|start_branch)$/

/** These take the id of a blob, or a mere label of a status, or the full id that the tip of a merge request must have. */
const others = [
  'GET /projects/:id/repository/blobs/:sha',
  'GET /projects/:id/repository/blobs/:sha/raw',
  // No repository: they have one state.
  'GET /projects/:id/snippets/:snippet_id/files/:ref/:file_path/raw',
  'PUT /projects/:id/merge_requests/:merge_request_iid/merge',
  // Filters: the names as the pipelines have them.
  'GET /projects/:id/pipelines',
  'GET /projects/:id/pipelines/latest',
  'GET /projects/:id/jobs/artifacts/:ref_name/download',
  'GET /projects/:id/jobs/artifacts/:ref_name/raw/:artifact_path',
  'POST /projects/:id/merge_requests/:merge_request_iid/approve',
  'POST /projects/:id/merge_trains/merge_requests/:merge_request_iid',
  'POST /projects/:id/merge_requests/:merge_request_iid/status_check_responses',
  // Looked at when they run, by what starts every pipeline; the tests of triggers have a shadowed name.
  'POST /projects/:id/pipeline_schedules',
  'PUT /projects/:id/pipeline_schedules/:pipeline_schedule_id',
  'POST /projects/:id/trigger/pipeline',
  'POST /projects/:id/ref/:ref/trigger/pipeline',
  // `sha` is asked of the resolver of all names, `ref` is a label.
  'POST /projects/:id/deployments',
  // Ask the resolver of all names; no commit here has a trailer.
  'GET /projects/:id/repository/changelog',
  'POST /projects/:id/repository/changelog',
]

test('the table knows every endpoint that takes the name of a commit', () => {
  const taking = everyServed.filter(({ path, endpoint: { query, body } }) => {
    const inPath = path.split('/').flatMap((part) => (part.startsWith(':') ? [part.slice(1)] : []))
    return (
      path.startsWith('/projects/') &&
      [...inPath, ...Object.keys(query ?? {}), ...Object.keys(body ?? {})].some((name) => naming.test(name))
    )
  })
  const unknown = taking
    .map(({ name }) => name)
    .filter((name) => !others.includes(name) && !cases.some(({ endpoint }) => endpoint === name))
  expect(taking.length).toBeGreaterThan(15)
  expect(unknown, 'add a case to `cases` of this file for each').toEqual([])
})
