/** The import law of the rooms (docs and biome.json) is one that refuses: tried here on a house of its own. */
import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'

const root = fileURLToPath(new URL('../..', import.meta.url))
const biome = join(root, 'node_modules', '.bin', 'biome')

/** From which file what may not be imported. */
const forbidden: Array<[file: string, imported: string]> = [
  ['src/git/refs.ts', '../db/database.ts'],
  ['src/git/refs.ts', '../http/page.ts'],
  ['src/git/refs.ts', '../features/tags/tags.endpoints.ts'],
  ['src/git/refs.ts', '../app.ts'],
  ['src/git/refs.ts', 'kysely'],
  ['src/db/sqlite.ts', '../git/run.ts'],
  ['src/db/sqlite.ts', '../access/find.ts'],
  ['src/db/sqlite.ts', '../app.ts'],
  ['src/access/find.ts', '../git/run.ts'],
  ['src/access/find.ts', '../http/rules.ts'],
  ['src/access/find.ts', '../features/users/users.service.ts'],
  ['src/access/find.ts', '../app.ts'],
  ['src/queue/queue.ts', '../features/projects/projects.jobs.ts'],
  ['src/queue/queue.ts', '../http/page.ts'],
  ['src/queue/queue.ts', '../git/run.ts'],
  ['src/queue/queue.ts', '../transport/access.ts'],
  ['src/http/mount.ts', '../features/index.ts'],
  ['src/http/mount.ts', '../features/users/users.service.ts'],
  ['src/http/mount.ts', '../transport/access.ts'],
  ['src/http/mount.ts', '../queue/queue.ts'],
  ['src/features/tags/tags.service.ts', '../members/members.queries.ts'],
  ['src/features/tags/tags.service.ts', '../members/members.endpoints.ts'],
  ['src/features/tags/tags.service.ts', '../index.ts'],
  ['src/features/tags/tags.service.ts', '../../transport/smart-http.ts'],
  ['src/features/tags/tags.service.ts', '../../server.ts'],
  ['src/transport/smart-http.ts', '../features/index.ts'],
  ['src/transport/smart-http.ts', '../features/projects/projects.queries.ts'],
  ['src/transport/smart-http.ts', '../features/projects/projects.endpoints.ts'],
  ['src/transport/smart-http.ts', '../server.ts'],
  ['src/transport/ssh/session.ts', '../../features/keys/keys.queries.ts'],
  ['src/transport/ssh/session.ts', '../../features/index.ts'],
  ['src/transport/ssh/session.ts', '../../server.ts'],
  ['src/features/tags/tags.service.ts', '../../pages/html.ts'],
  ['src/http/mount.ts', '../pages/html.ts'],
  ['src/pages/help.ts', '../features/users/users.queries.ts'],
  ['src/pages/help.ts', '../features/users/users.endpoints.ts'],
  ['src/pages/help.ts', '../features/index.ts'],
  ['src/pages/help.ts', '../transport/access.ts'],
  ['src/pages/help.ts', '../git/repository.ts'],
  ['src/pages/help.ts', '../server.ts'],
  ['src/store/folder.ts', '../db/database.ts'],
  ['src/store/folder.ts', '../app.ts'],
  ['src/outgoing/targets.ts', '../db/database.ts'],
  ['src/outgoing/targets.ts', '../git/run.ts'],
  ['src/outgoing/targets.ts', '../app.ts'],
  ['src/backup/backup.ts', '../features/pushes/record.ts'],
  ['src/backup/backup.ts', '../queue/queue.ts'],
  ['src/backup/backup.ts', '../http/page.ts'],
  ['src/processes/primary.ts', '../app.ts'],
  ['src/processes/primary.ts', '../db/database.ts'],
  ['src/limits/concurrency.ts', '../http/page.ts'],
]

const permitted: Array<[file: string, imported: string]> = [
  ['src/git/refs.ts', './run.ts'],
  ['src/git/refs.ts', '../failure.ts'],
  ['src/git/refs.ts', 'node:fs/promises'],
  ['src/git/refs.test.ts', '../db/database.ts'],
  ['src/db/sqlite.ts', './tables.ts'],
  ['src/db/sqlite.ts', '../failure.ts'],
  ['src/db/sqlite.ts', 'kysely'],
  ['src/access/find.ts', '../db/database.ts'],
  ['src/access/find.ts', './levels.ts'],
  ['src/queue/queue.ts', '../db/database.ts'],
  ['src/http/mount.ts', '../access/find.ts'],
  ['src/http/mount.ts', '../git/repository.ts'],
  ['src/pages/help.ts', '../features/users/users.service.ts'],
  ['src/pages/help.ts', '../http/cookies.ts'],
  ['src/store/folder.ts', './store.ts'],
  ['src/store/bucket.ts', '@aws-sdk/client-s3'],
  ['src/transport/ssh/session.ts', '../../features/keys/keys.service.ts'],
  ['src/features/tags/tags.service.ts', './tags.queries.ts'],
  ['src/features/tags/tags.service.ts', '../members/members.service.ts'],
  ['src/features/tags/tags.service.ts', '../commits/commits.schema.ts'],
  ['src/features/tags/tags.service.ts', '../../git/refs.ts'],
  ['src/features/index.ts', './tags/tags.endpoints.ts'],
  ['src/transport/smart-http.ts', '../features/projects/projects.service.ts'],
  ['src/transport/smart-http.ts', '../git/packs.ts'],
  ['src/processes/services.ts', '../limits/concurrency.ts'],
]

test('what a room may not know it cannot import, not even at run time or as a re-export', async () => {
  const cases = forbidden.flatMap(([file, imported]) => [
    { file, code: `import { a } from '${imported}'\na()\n` },
    { file, code: `export { a } from '${imported}'\n` },
    { file, code: `export const a = await import('${imported}')\n` },
  ])
  const refused = await lint(cases)
  expect(cases.filter((_, index) => !refused.has(index))).toEqual([])
})

test('what a room may know it can import', async () => {
  const cases = permitted.map(([file, imported]) => ({ file, code: `import { a } from '${imported}'\na()\n` }))
  const refused = await lint(cases)
  expect(cases.filter((_, index) => refused.has(index))).toEqual([])
})

/** The numbers of the cases that the linter refuses for what they import. Each stands in a house of its own. */
async function lint(cases: Array<{ file: string; code: string }>): Promise<Set<number>> {
  const folder = await mkdtemp(join(tmpdir(), 'gitstead-law-'))
  try {
    const config = JSON.parse(await readFile(join(root, 'biome.json'), 'utf8'))
    const law = config.overrides.map((override: { includes: string[] }) => ({
      ...override,
      includes: override.includes.map((glob) => (/^!?src/.test(glob) ? glob.replace('src', '*/src') : glob)),
    }))
    await writeFile(join(folder, 'biome.json'), JSON.stringify({ ...config, vcs: { enabled: false }, overrides: law }))
    for (const [index, { file, code }] of cases.entries()) {
      await mkdir(dirname(join(folder, String(index), file)), { recursive: true })
      await writeFile(join(folder, String(index), file), code)
    }
    const args = ['lint', '--only=style/noRestrictedImports', '--reporter=json', '--max-diagnostics=none', folder]
    const { stdout } = await promisify(execFile)(biome, args, { cwd: folder }).catch((error: { stdout: string }) => error)
    const { diagnostics } = JSON.parse(stdout) as { diagnostics: Array<{ location: { path: string } }> }
    return new Set(diagnostics.map(({ location }) => Number(/(\d+)\/src\//.exec(location.path)?.[1])))
  } finally {
    await rm(folder, { recursive: true })
  }
}
