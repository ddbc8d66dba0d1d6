/** Merge requests of the showcase: one under review, a draft with conflicts, and a merged one. */
import type { Forge, TestProject, TestUser } from '../support/forge.ts'
import { git, gitReading } from '../support/git.ts'
import { type Commit, streamOf } from './showcase-stream.ts'

const zone = `/** Hours to add to UTC at a harbour, on a day. */
export function offsetOf(zone: string, day: Date): number {
  const local = new Date(day.toLocaleString('en-US', { timeZone: zone }))
  const utc = new Date(day.toLocaleString('en-US', { timeZone: 'UTC' }))
  return (local.getTime() - utc.getTime()) / 3_600_000
}
`

const localTimes = (predict: string): Commit[] => [
  { by: 'Jonas', hours_ago: 4, message: 'Find the offset of a time zone', files: { 'src/zone.ts': zone } },
  {
    by: 'Jonas',
    hours_ago: 3,
    message: 'Show the times of the harbour\n\nPeople read tide tables beside their watch.',
    files: {
      'src/predict.ts': predict
        .replace('/** 4.2 is 04:12. */', '/** 4.2 is 04:12, an hour further east 05:12. */')
        .replace('clock(hours: number): string {', 'clock(hours: number, offset = 0): string {')
        .replace(
          'const [whole, minutes] = [Math.floor(hours), Math.floor((hours % 1) * 60)]',
          'const local = (hours + offset + 24) % 24\n  const [whole, minutes] = [Math.floor(local), Math.floor((local % 1) * 60)]',
        ),
    },
  },
  {
    by: 'Jonas',
    hours_ago: 2,
    message: 'Test midnight',
    files: {
      'test/zone.test.ts': `import { expect, test } from 'vitest'\nimport { clock } from '../src/predict.ts'\n\ntest('a tide before midnight is after it further east', () => {\n  expect(clock(23.5, 1)).toBe('00:30')\n})\n`,
    },
  },
]

const guide: Commit[] = [
  {
    by: 'Jonas',
    hours_ago: 50,
    message: 'Say where constituents come from',
    files: {
      'docs/harbours.md': '# Adding a harbour\n\nAsk the harbour office for the constituents, and add them to `src/harbours.ts`.\n',
    },
  },
]

const keywords: Commit[] = [
  {
    by: 'Jonas',
    hours_ago: 6,
    message: 'Add keywords to the package',
    files: { 'package.json': '{\n  "name": "tides",\n  "version": "0.2.0",\n  "keywords": ["tide", "sea"],\n  "license": "MIT"\n}\n' },
  },
]

interface Place {
  forge: Forge
  project: TestProject
  owner: TestUser
  developer: TestUser
}

/** Adds the branches to the clone at `work`, pushes them to `remote` and creates their merge requests. `predict` is a file of `main`. */
export async function addReviews({ work, remote, predict, ...place }: Place & { work: string; remote: string; predict: string }) {
  await gitReading(work, streamOf(localTimes(predict), 'local-times', 'refs/heads/main'), 'fast-import', '--quiet')
  await gitReading(work, streamOf(guide, 'harbour-guide', 'refs/heads/main~2'), 'fast-import', '--quiet')
  await gitReading(work, streamOf(keywords, 'keywords', 'refs/heads/main'), 'fast-import', '--quiet')
  await git(work, 'push', '--quiet', remote, 'local-times', 'harbour-guide', 'keywords')
  await plan(place)
  await reviewLocalTimes(place)
  await propose(place, { source_branch: 'harbour-guide', title: 'Draft: Say where constituents come from', labels: 'documentation' })
  const iid = await propose(place, { source_branch: 'keywords', title: 'Add keywords to the package' })
  await did(place.forge, place.owner, 'put', `/projects/${place.project.id}/merge_requests/${iid}/merge`, {
    should_remove_source_branch: true,
  })
}

/** Calls the API, and requires success. */
async function did(forge: Forge, user: TestUser, method: 'get' | 'post' | 'put', path: string, body = {}) {
  const answer = await forge.as(user)[method](path, body)
  if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.status} ${JSON.stringify(answer.body)}`)
  return answer.body
}

async function propose({ forge, project, developer }: Place, fields: Record<string, unknown>): Promise<number> {
  const request = await did(forge, developer, 'post', `/projects/${project.id}/merge_requests`, { target_branch: 'main', ...fields })
  return request.iid
}

async function plan({ forge, project, owner }: Place): Promise<void> {
  const add = (path: string, body: object) => did(forge, owner, 'post', `/projects/${project.id}${path}`, body)
  await add('/labels', { name: 'accuracy', color: '#3f7cac', description: 'What is shown is not what the sea does' })
  await add('/labels', { name: 'documentation', color: '#b8860b' })
  await add('/milestones', { title: 'Version 0.3', due_date: '2030-06-01' })
  const description = 'Brest is an hour ahead of them in winter, and two in summer.\n\n- [x] Ask who reads them\n- [ ] Decide on the format'
  await add('/issues', { title: 'Times are those of Greenwich', labels: 'accuracy', description })
}

/** With a discussion on a line, a resolved one, and an approval. */
async function reviewLocalTimes(place: Place): Promise<void> {
  const { forge, project, owner, developer } = place
  const iid = await propose(place, {
    source_branch: 'local-times',
    title: 'Show the times of the harbour',
    description:
      'Tide tables are read beside a watch, so they show the time of the harbour. `clock` takes the offset of its zone.\n\n- [x] Midnight\n- [ ] The hour that is left out in spring\n\nCloses #1',
    labels: 'accuracy',
    assignee_id: developer.id,
    reviewer_ids: [owner.id],
    milestone_id: 1,
  })
  const address = `/projects/${project.id}/merge_requests/${iid}`
  const { diff_refs } = await did(forge, owner, 'get', address)
  const ask = async (path: string, new_line: number, body: string): Promise<string> => {
    const position = { ...diff_refs, position_type: 'text', old_path: path, new_path: path, new_line }
    return (await did(forge, owner, 'post', `${address}/discussions`, { body, position })).id
  }
  const open = await ask('src/zone.ts', 3, 'This reads a date that it has just written. Does `Intl.DateTimeFormat` have parts?')
  await did(forge, developer, 'post', `${address}/discussions/${open}/notes`, { body: 'It has: `formatToParts`. I’ll look.' })
  const answered = await ask('test/zone.test.ts', 5, 'And one further west, please.')
  await did(forge, developer, 'put', `${address}/discussions/${answered}`, { resolved: true })
  await did(forge, owner, 'post', `${address}/notes`, { body: 'I like it: the table of Brest now says what the one in the harbour says.' })
  await did(forge, owner, 'post', `${address}/award_emoji`, { name: 'tada' })
  await did(forge, owner, 'post', `${address}/approve`)
}
