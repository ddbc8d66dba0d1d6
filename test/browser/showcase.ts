/** A small project with users, branches, a tag and readable history, for screenshots and for looking at pages. */
import { join } from 'node:path'
import type { TestUser } from '../support/forge.ts'
import { git, gitReading } from '../support/git.ts'
import { addReviews } from './showcase-review.ts'
import { type Commit, streamOf } from './showcase-stream.ts'
import { servedForge } from './support.ts'

export const showcasePassword = 'correct horse battery'

export interface Showcase {
  owner: TestUser
  /** A developer of the project. */
  developer: TestUser
  group: string
  /** Its path: `harbour/tides`. */
  project: string
  /** A commit with an interesting diff. */
  sha: string
  /** Values of the parameters of pages. */
  parameters: Record<string, string>
}

const readme = `# Tides

Predicts high and low water for any harbour with known harmonic constants, without a network.

\`\`\`sh
npx tides Brest --days 2
\`\`\`

| Time | Height | |
|---|---|---|
| 04:12 | 6.81 m | high |
| 10:31 | 1.24 m | low |
| 16:40 | 6.53 m | high |

## How it works

The height of the water is a sum of cosines, one for each **constituent** of the tide:

\`\`\`ts
const height = mean + constituents.reduce((sum, { amplitude, speed, phase }) => sum + amplitude * Math.cos(speed * hours - phase), 0)
\`\`\`

- \`src/constituents.ts\` has the ten that matter in the Atlantic.
- \`src/predict.ts\` finds the extremes between two instants.
- [Adding a harbour](docs/harbours.md) takes ten numbers.
`

const constituents = `/** The parts of the tide: each with its speed in degrees an hour. */
export interface Constituent {
  name: string
  /** In metres. */
  amplitude: number
  /** In degrees an hour. */
  speed: number
  /** In degrees, at Greenwich. */
  phase: number
}

export const speeds = {
  M2: 28.984104,
  S2: 30.0,
  N2: 28.43973,
  K1: 15.041069,
  O1: 13.943036,
} as const
`

const predictBefore = `import type { Constituent } from './constituents.ts'

const radians = Math.PI / 180

/** The height of the water in metres, some hours after midnight. */
export function heightAt(hours: number, mean: number, constituents: Constituent[]): number {
  let sum = mean
  for (const { amplitude, speed, phase } of constituents) {
    sum += amplitude * Math.cos((speed * hours - phase) * radians)
  }
  return sum
}

/** High and low water of a day, by looking at every minute. */
export function extremes(mean: number, constituents: Constituent[]) {
  const found = []
  for (let minute = 1; minute < 24 * 60; minute++) {
    const [before, now, after] = [minute - 1, minute, minute + 1].map((m) => heightAt(m / 60, mean, constituents))
    if (now > before && now > after) found.push({ minute, height: now, kind: 'high' })
    if (now < before && now < after) found.push({ minute, height: now, kind: 'low' })
  }
  return found
}
`

const predictAfter = `import { bisect } from './bisect.ts'
import type { Constituent } from './constituents.ts'

const radians = Math.PI / 180

export interface Extreme {
  /** Hours after midnight. */
  hours: number
  height: number
  kind: 'high' | 'low'
}

/** The height of the water in metres, some hours after midnight. */
export function heightAt(hours: number, mean: number, constituents: Constituent[]): number {
  return constituents.reduce((sum, { amplitude, speed, phase }) => sum + amplitude * Math.cos((speed * hours - phase) * radians), mean)
}

/** How fast the water rises, in metres an hour. It is zero at high and low water. */
function slopeAt(hours: number, constituents: Constituent[]): number {
  return constituents.reduce(
    (sum, { amplitude, speed, phase }) => sum - amplitude * speed * radians * Math.sin((speed * hours - phase) * radians),
    0,
  )
}

/** High and low water between two instants: where the slope changes its sign, to the second. */
export function extremes(from: number, to: number, mean: number, constituents: Constituent[]): Extreme[] {
  const found: Extreme[] = []
  for (let hours = from; hours < to; hours += 0.5) {
    const [before, after] = [slopeAt(hours, constituents), slopeAt(hours + 0.5, constituents)]
    if (before * after >= 0) continue
    const at = bisect((h) => slopeAt(h, constituents), hours, hours + 0.5)
    found.push({ hours: at, height: heightAt(at, mean, constituents), kind: before > 0 ? 'high' : 'low' })
  }
  return found
}

/** 4.2 is 04:12. */
export function clock(hours: number): string {
  const [whole, minutes] = [Math.floor(hours), Math.floor((hours % 1) * 60)]
  return [whole, minutes].map((part) => String(part).padStart(2, '0')).join(':')
}
`

const cli = `#!/usr/bin/env node
import { parseArgs } from 'node:util'
import { harbours } from './harbours.ts'
import { extremes } from './predict.ts'

const { values, positionals } = parseArgs({ allowPositionals: true, options: { days: { type: 'string', default: '1' } } })
const harbour = harbours.find(({ name }) => name === positionals[0])
if (!harbour) {
  console.error(\`Unknown harbour: \${positionals[0] ?? '(none)'}\`)
  process.exit(1)
}
for (const { minute, height, kind } of extremes(harbour.mean, harbour.constituents)) {
  console.log(\`\${Math.floor(minute / 60)}:\${minute % 60}  \${height.toFixed(2)} m  \${kind}\`)
}
`

const cliAfter = cli
  .replace('extremes }', 'clock, extremes }')
  .replace('{ minute, height, kind } of extremes(', '{ hours, height, kind } of extremes(0, 24 * Number(values.days), ')
  .replace(/\$\{Math.floor.*?% 60\}/, `\${clock(hours)}`)

const bisect = `/** Where a function of one number crosses zero between two points, to the second. */
export function bisect(f: (x: number) => number, low: number, high: number): number {
  const middle = (low + high) / 2
  if (high - low < 1 / 3600) return middle
  return f(low) * f(middle) <= 0 ? bisect(f, low, middle) : bisect(f, middle, high)
}
`

const files = {
  'README.md': readme,
  LICENSE: 'MIT License\n\nCopyright the authors of Tides\n',
  'package.json': '{\n  "name": "tides",\n  "version": "0.2.0",\n  "type": "module",\n  "bin": "src/cli.ts",\n  "license": "MIT"\n}\n',
  'docs/harbours.md': '# Adding a harbour\n\nAdd its mean level and the amplitude and phase of each constituent to `src/harbours.ts`.\n',
  'src/constituents.ts': constituents,
  'src/predict.ts': predictBefore,
  'src/cli.ts': cli,
  'src/harbours.ts': `export const harbours = [\n  { name: 'Brest', mean: 4.13, constituents: [] },\n]\n`,
  'test/predict.test.ts': `import { expect, test } from 'vitest'\n\ntest('the sea is level without constituents', () => {})\n`,
  '.gitignore': 'node_modules\ndist\n',
}

const history: Commit[] = [
  { by: 'Ines', hours_ago: 900, message: 'Predict the height of the water', files },
  {
    by: 'Jonas',
    hours_ago: 410,
    message: 'Name the speeds of the constituents',
    files: { 'src/constituents.ts': `${constituents}\nexport type Name = keyof typeof speeds\n` },
  },
  {
    by: 'Ines',
    hours_ago: 75,
    message: 'Explain how a harbour is added',
    files: { 'docs/harbours.md': `${files['docs/harbours.md']}\nThe national hydrographic office publishes them.\n` },
  },
  {
    by: 'Jonas',
    hours_ago: 5,
    message:
      'Find high and low water to the second\n\nLooking at every minute took 1,440 heights a day. The slope is zero at an extreme, and bisection finds where:\n48 slopes a day and some twenty more for each extreme.',
    files: {
      'src/predict.ts': predictAfter,
      'src/cli.ts': cliAfter,
      'test/predict.test.ts': `import { expect, test } from 'vitest'\nimport { extremes } from '../src/predict.ts'\n\ntest('the sea is level without constituents', () => {\n  expect(extremes(0, 24, 4.13, [])).toEqual([])\n})\n`,
      'src/bisect.ts': bisect,
    },
  },
]

/** Fills the forge of this file with it. */
export async function showcase(): Promise<Showcase> {
  const forge = await servedForge()
  const owner = await forge.user({ username: 'ines', name: 'Ines Duarte', email: 'ines@example.com', password: showcasePassword })
  const developer = await forge.user({ username: 'jonas', name: 'Jonas Weber', email: 'jonas@example.com', password: showcasePassword })
  const group = await forge.group({ owner, developer, visibility: 'public', name: 'Harbour', path: 'harbour' })
  const project = await forge.project({ group, visibility: 'public', name: 'Tides', path: 'tides', files: null })
  const work = join(await forge.folder(), 'tides.git')
  await git('/', 'init', '--quiet', '--bare', '--initial-branch=main', work)
  await gitReading(work, streamOf(history), 'fast-import', '--quiet')
  await git(work, 'tag', '-m', 'Heights only', 'v0.1.0', 'main~2')
  await git(work, 'branch', 'harbours-of-norway', 'main~1')
  const remote = await forge.remote(project, owner)
  await git(work, 'push', '--quiet', remote, 'main', 'harbours-of-norway', 'v0.1.0')
  const description = 'High and low water for any harbour, without a network'
  await forge.as(owner).put(`/projects/${project.id}`, { description, tag_list: 'sea,prediction' })
  await forge
    .as(owner)
    .post(`/projects/${project.id}/releases`, { tag_name: 'v0.1.0', name: 'Heights', description: 'Predicts **heights**.' })
  for (const user of [owner, developer]) await forge.as(user).post(`/projects/${project.id}/star`)
  await addReviews({ forge, project, owner, developer, work, remote, predict: predictAfter })
  await forge.drain()
  const sha = await git(work, 'rev-parse', 'main')
  const names = { state: 'all', name: 'v0.1.0', tag: 'v0.1.0', rule: '1', user_id: String(owner.id), username: developer.username }
  const ids = {
    topic: 'sea',
    key_id: '1',
    message_id: '1',
    deploy_key_id: '1',
    issue_iid: '1',
    merge_request_iid: '1',
    discussion_id: '0'.repeat(40),
    note_id: '1',
    link_id: '1',
    group_id: String(group.id),
    project_id: String(project.id),
  }
  const parameters = { project: 'harbour/tides', group: 'harbour', user: owner.username, sha, ...names, ...ids }
  return { owner, developer, group: 'harbour', project: 'harbour/tides', sha, parameters }
}
