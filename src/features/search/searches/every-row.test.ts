/** Searches against a slow filter over all rows: what has the words, and what the user may see, said once more and plainly. */
import { beforeAll, expect, test } from 'vitest'
import { engine } from '../../../../test/support/database.ts'
import { numbers } from '../../../../test/support/fixtures/numbers.ts'
import { type Forge, openForge, type TestProject, type TestUser } from '../../../../test/support/forge.ts'
import { git } from '../../../../test/support/git.ts'
import { cpuBudget } from '../../../../test/support/run/cpu.ts'
import { inFullRun, isGate, onPostgresAlone } from '../../../../test/support/run/tiers.ts'
import { accessLevels, type Role } from '../../../access/levels.ts'
import { foldCase } from '../../../db/fold-case.ts'
import { wordsOf } from '../../../db/search.ts'
import type { FeatureLevel, Visibility } from '../../../db/tables.ts'
import { tendIndexJob } from '../code-index/code-index.jobs.ts'

cpuBudget(6, 'Random searches are compared with a slow filter over every row.')

const features = ['issues', 'merge_requests', 'repository', 'snippets', 'wiki'] as const
type Feature = (typeof features)[number]

/** A project, and who has which role in it. */
interface Place {
  project: TestProject
  group_id: number | null
  visibility: Visibility
  levels: Record<Feature, FeatureLevel>
  roles: Map<number, number>
}

interface Row {
  id: number
  /** Null for personal snippets, and for projects themselves. */
  place: Place | null
  /** One of the texts has all words. */
  texts: string[]
  sees: (user: TestUser) => boolean
  /** The words may be in different texts. */
  isMixed?: boolean
}

let forge: Forge
let users: TestUser[]
let places: Place[]
const rows: Record<string, Row[]> = {
  projects: [],
  issues: [],
  merge_requests: [],
  milestones: [],
  notes: [],
  snippet_titles: [],
  snippet_blobs: [],
}
const next = numbers(20_261_123)
const pick = <T>(values: readonly T[]): T => values[next(values.length)] as T

/** Letters of many scripts, with and without capitals, of several lengths in bytes, and some whose small form is another length. */
const syllables = [
  ...['ba', 'KO', 'lem', 'Kat', 'ñu', 'ÇE', 'ß', 'ẞa', 'İl', 'ık', 'ΣΑ', 'ας', 'οσ', 'Жо', 'жЁ', 'ёл', 'Ǆa', 'ﬁn', 'ſo', 'K1'],
  ...['Å', 'åb', '日本', '한국', 'ა', 'Ა', 'Ⲁb', '𐐀𐐨', 'é', 'É', '%', '_', "'", '\\', '-', '.', 'ԱԲ', 'աբ', 'Ѐ', 'ѐx'],
]
const textOf = (max: number) =>
  Array.from({ length: 2 + next(max) }, () => pick(syllables) + (next(3) === 0 ? ' ' : ''))
    .join('')
    .trim()

function levelIn({ roles }: Place, user: TestUser): number {
  return user.admin ? accessLevels.owner : (roles.get(user.id) ?? 0)
}

function isOpen(visibility: Visibility, user: TestUser): boolean {
  return visibility === 'public' || (visibility === 'internal' && !user.external)
}

/** As the specification has it: off it is for nobody, private for members, and what is enabled for whoever sees the project. */
function mayUse(place: Place, feature: Feature, user: TestUser): boolean {
  const level = levelIn(place, user)
  if (level === 0 && !isOpen(place.visibility, user)) return false
  return place.levels[feature] === 'enabled' || (place.levels[feature] === 'private' && level > 0)
}

function mayReadCode(place: Place, user: TestUser): boolean {
  return mayUse(place, 'repository', user) && (levelIn(place, user) >= accessLevels.reporter || isOpen(place.visibility, user))
}

const seesMergeRequests = (place: Place, user: TestUser) => mayReadCode(place, user) && mayUse(place, 'merge_requests', user)

async function makePlaces(): Promise<void> {
  const [ada, ben, cy, dan, eve] = users as [TestUser, TestUser, TestUser, TestUser, TestUser]
  const closed = await forge.group({ owner: ada, guest: ben, visibility: 'private' })
  const open = await forge.group({ owner: cy, reporter: dan, visibility: 'public' })
  const homes = [
    {
      group: closed,
      visibility: 'private',
      roles: [
        [ada, 'owner'],
        [ben, 'guest'],
      ],
    },
    {
      group: closed,
      visibility: 'private',
      roles: [
        [ada, 'owner'],
        [ben, 'guest'],
      ],
    },
    ...(['private', 'internal', 'public', 'internal', 'public'] as const).map((visibility) => ({
      group: open,
      visibility,
      roles: [
        [cy, 'owner'],
        [dan, 'reporter'],
      ] as Array<[TestUser, Role]>,
    })),
    ...(['private', 'internal', 'public', 'public'] as const).map((visibility) => ({
      group: null,
      visibility,
      roles: [[eve, 'owner']] as Array<[TestUser, Role]>,
    })),
  ] as Array<{ group: typeof open | null; visibility: Visibility; roles: Array<[TestUser, Role]> }>
  places = []
  for (const [index, { group, visibility, roles }] of homes.entries()) {
    const [guest, reporter] = [pick(users.slice(0, 4)), pick(users.slice(0, 4))]
    const [name, description] = [textOf(3), textOf(5)]
    const project = await forge.project({
      ...(group ? { group } : { owner: eve }),
      visibility,
      ...(guest !== reporter && { guest, reporter }),
      commits: [
        { message: `Add the cassowary ${index}`, files: { 'a.txt': 'a Cassowary\n' } },
        { message: 'Topic', files: { 'b.txt': `${index}\n` } },
      ],
    })
    await git(project.dir, 'branch', 'topic', 'main')
    await git(project.dir, 'branch', '-f', 'main', 'main~1')
    const levels = Object.fromEntries(
      features.map((feature) => [feature, pick(['enabled', 'enabled', 'private', 'disabled'] as const)]),
    ) as Record<Feature, FeatureLevel>
    const set = Object.fromEntries(features.map((feature) => [`${feature}_access_level`, levels[feature]]))
    const { path } = project
    await forge.app.db.updateTable('projects').set({ name, description }).where('id', '=', project.id).execute()
    const all = new Map<number, number>()
    for (const [user, role] of [
      ...roles,
      ...(guest !== reporter
        ? ([
            [guest, 'guest'],
            [reporter, 'reporter'],
          ] as const)
        : []),
    ])
      all.set(user.id, Math.max(all.get(user.id) ?? 0, accessLevels[role]))
    const place: Place = { project, group_id: group?.id ?? null, visibility, levels, roles: all }
    places.push(place)
    await fillPlace(place)
    await forge.app.db.updateTable('projects').set(set).where('id', '=', project.id).execute()
    rows.projects?.push({
      id: project.id,
      place,
      texts: [name, path, description],
      sees: (user) => levelIn(place, user) > 0 || isOpen(visibility, user),
    })
  }
}

async function fillPlace(place: Place): Promise<void> {
  const { project } = place
  const root = forge.as(forge.root)
  for (let index = 0; index < 3; index += 1) {
    const [title, description, author, assignee] = [textOf(3), textOf(6), pick(users), pick(users)]
    const isConfidential = next(3) === 0
    const issue = await forge.issue(project, author, {
      title,
      description,
      confidential: isConfidential,
      assignee_ids: [assignee.id],
    })
    const sees = (user: TestUser) =>
      mayUse(place, 'issues', user) &&
      (!isConfidential || user.id === author.id || user.id === assignee.id || levelIn(place, user) >= accessLevels.reporter)
    rows.issues?.push({ id: issue.id, place, texts: [title, description], sees })
    const body = textOf(6)
    const isInternal = next(3) === 0
    const note = await forge.note(project, issue, forge.root, { body, ...(isInternal && { internal: true }) })
    const seesNote = (user: TestUser) => sees(user) && (!isInternal || levelIn(place, user) >= accessLevels.reporter)
    rows.notes?.push({ id: note.id, place, texts: [body], sees: seesNote })
  }
  const [title, description] = [textOf(3), textOf(6)]
  const request = await forge.mergeRequest(project, forge.root, { source_branch: 'topic', title, description })
  rows.merge_requests?.push({ id: request.id, place, texts: [title, description], sees: (user) => seesMergeRequests(place, user) })
  const onMergeRequest = textOf(6)
  const { body: note } = await root.post(`/projects/${project.id}/merge_requests/${request.iid}/notes`, { body: onMergeRequest })
  rows.notes?.push({ id: note.id, place, texts: [onMergeRequest], sees: (user) => seesMergeRequests(place, user) })
  const onCommit = textOf(6)
  await root.post(`/projects/${project.id}/repository/commits/main/comments`, { note: onCommit })
  const commitNote = await forge.app.db
    .selectFrom('notes')
    .select('id')
    .where('body', '=', onCommit)
    .orderBy('id', 'desc')
    .executeTakeFirstOrThrow()
  rows.notes?.push({ id: commitNote.id, place, texts: [onCommit], sees: (user) => mayReadCode(place, user) })
  const [milestone, about] = [textOf(3), textOf(6)]
  const { body: planned } = await root.post(`/projects/${project.id}/milestones`, { title: milestone, description: about })
  rows.milestones?.push({
    id: planned.id,
    place,
    texts: [milestone, about],
    sees: (user) =>
      (levelIn(place, user) > 0 || isOpen(place.visibility, user)) &&
      (mayUse(place, 'issues', user) || mayUse(place, 'merge_requests', user)),
  })
  await makeSnippet(place, pick(users))
  await root.post(`/projects/${project.id}/wikis`, { title: 'Birds', content: 'a Cassowary\n' })
}

async function makeSnippet(place: Place | null, author: TestUser): Promise<void> {
  const visibility = pick(['private', 'internal', 'public'] as const)
  const [title, description, content] = [textOf(3), textOf(5), textOf(12)]
  const fields = { title, description, visibility, file_name: `${pick(['Äpfel', 'ROT', 'Жук'])}.txt`, content }
  const address = place ? `/projects/${place.project.id}/snippets` : '/snippets'
  const { status, body } = await forge.as(place ? forge.root : author).post(address, fields)
  expect([fields, status]).toEqual([fields, 201])
  if (place) await forge.app.db.updateTable('snippets').set({ author_id: author.id }).where('id', '=', body.id).execute()
  const sees = (user: TestUser) => {
    const isShown = isOpen(visibility, user) || user.id === author.id
    if (place === null) return user.admin || isShown
    return mayUse(place, 'snippets', user) && (levelIn(place, user) > 0 || isShown)
  }
  rows.snippet_titles?.push({ id: body.id, place, texts: [title, description, fields.file_name], sees, isMixed: true })
  rows.snippet_blobs?.push({ id: body.id, place, texts: [content], sees })
}

beforeAll(async () => {
  forge = await openForge()
  users = []
  for (let index = 0; index < 5; index += 1) users.push(await forge.user())
  await makePlaces()
  users.push(await forge.user({ external: true }), await forge.user(), forge.root)
  for (const user of users.filter(({ external }) => !external)) await makeSnippet(null, user)
  await tendIndexJob.handle(forge.app, {})
  await forge.drain()
})

/** One or two pieces of a text that somebody wrote, in another case, or of none. */
function searchFor(all: Row[]): string {
  const text = pick(pick(all).texts)
  const letters = [...text.replace(/\s+/g, '')]
  const start = next(Math.max(letters.length - 2, 1))
  const piece = letters.slice(start, start + 1 + next(5)).join('')
  const cased = pick([piece, piece.toLowerCase(), piece.toUpperCase()])
  return pick([cased, cased, cased, `${cased} ${pick(syllables)}`, pick(syllables) + pick(syllables)])
}

function expectedOf(scope: string, user: TestUser, search: string, place: Place | null, groupId: number | null): number[] {
  const words = wordsOf(search).map(foldCase)
  return (rows[scope] ?? [])
    .filter((row) => (place === null || row.place === place) && (groupId === null || row.place?.group_id === groupId))
    .filter(({ texts, isMixed, sees }) => {
      const folded = texts.map(foldCase)
      const has = isMixed
        ? words.every((word) => folded.some((text) => text.includes(word)))
        : folded.some((text) => words.every((word) => text.includes(word)))
      return has && sees(user)
    })
    .map(({ id }) => id)
    .sort((a, b) => a - b)
}

const scopesAt = {
  all: ['projects', 'issues', 'merge_requests', 'milestones', 'snippet_titles', 'snippet_blobs'],
  group: ['projects', 'issues', 'merge_requests', 'milestones'],
  project: ['issues', 'merge_requests', 'milestones', 'notes'],
} as const

/** The random sequence is the same everywhere; engines and tiers only differ in how far they follow it. */
const usual = engine === 'postgres' ? 400 : 1_000
const searches = Number(process.env.GITSTEAD_TEST_SEARCHES ?? (isGate ? usual / 4 : usual))

test(
  'random searches by random users find the rows that a slow filter over all of them finds',
  onPostgresAlone('1 s of processor.'),
  async () => {
    let found = 0
    for (let round = 0; round < searches; round += 1) {
      const user = pick(users)
      const level = pick(['all', 'all', 'group', 'project'] as const)
      const scope = pick<string>(scopesAt[level])
      const seen = places.filter(({ project }) => rows.projects?.find(({ id }) => id === project.id)?.sees(user))
      const place = level === 'project' ? pick(seen) : null
      const groupId = level === 'group' ? pick(seen.filter(({ group_id }) => group_id !== null))?.group_id : null
      if (groupId === undefined || place === undefined) continue
      const search = searchFor((rows[scope] as Row[]).filter((row) => place === null || row.place === place))
      // The number of an issue is looked up.
      if (/[#!]\d+$/.test(search) || search.trim() === '') continue
      const base = place ? `/projects/${place.project.id}` : groupId ? `/groups/${groupId}` : ''
      const { status, body, headers } = await forge
        .as(user)
        .get(`${base}/search?scope=${scope}&per_page=100&search=${encodeURIComponent(search)}`)
      const asked = [round, user.username, base, scope, search]
      expect([...asked, status]).toEqual([...asked, 200])
      const ids = body.map(({ id }: { id: number }) => id).sort((a: number, b: number) => a - b)
      const expected = expectedOf(scope, user, search, place, groupId)
      expect([...asked, ids, headers['x-total']]).toEqual([...asked, expected, String(expected.length)])
      found += ids.length
    }
    // Many words are found nowhere: of those in the gate half are.
    expect(found).toBeGreaterThan(searches / 4)
  },
)

test(
  'files, commits and pages of the wiki are found by whoever may read them, and by nobody else',
  inFullRun('2 s of processor. `searches.test.ts`: nobody else finds anything, in any scope.'),
  async () => {
    for (const user of users) {
      const idsIn = async (path: string) => {
        const { status, body } = await forge.as(user).get(`${path}&search=cassowary&per_page=100`)
        return status === 404 ? 'hidden' : [...new Set(body.map(({ project_id }: { project_id: number }) => project_id))].sort()
      }
      const readable = places.filter((place) => mayReadCode(place, user)).map(({ project }) => project.id)
      expect([user.username, await idsIn('/search?scope=blobs')]).toEqual([user.username, readable.sort()])
      for (const place of places) {
        const { id } = place.project
        const isSeen = levelIn(place, user) > 0 || isOpen(place.visibility, user)
        const told = async (scope: string) => {
          const { status, body } = await forge.as(user).get(`/projects/${id}/search?scope=${scope}&search=cassowary`)
          return status === 404 ? 'hidden' : body.length
        }
        const expected = (may: boolean) => (isSeen ? Number(may) : 'hidden')
        expect([user.username, id, await told('blobs'), await told('commits'), await told('wiki_blobs')]).toEqual([
          user.username,
          id,
          expected(mayReadCode(place, user)),
          expected(mayReadCode(place, user)),
          expected(mayUse(place, 'wiki', user)),
        ])
      }
    }
  },
)
