/** The import law (tools/import-law.mjs) is one that refuses: tried here on a source folder of its own. */
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { circles } from '../../tools/import-circles.mjs'
import { readImports, refusedImports, violations } from '../../tools/import-law.mjs'

/** From which file what may not be imported. */
const forbidden: Array<[file: string, imported: string]> = [
  ['git/refs/refs.ts', '../../db/database.ts'],
  ['git/refs/refs.ts', '../../http/page.ts'],
  ['git/refs/refs.ts', '../../features/repository/tags/tags.endpoints.ts'],
  ['git/refs/refs.ts', '../../app.ts'],
  ['git/refs/refs.ts', 'kysely'],
  ['db/sqlite.ts', '../git/process/run.ts'],
  ['db/sqlite.ts', '../access/find.ts'],
  ['db/sqlite.ts', '../app.ts'],
  ['access/find.ts', '../git/process/run.ts'],
  ['access/find.ts', '../http/rules.ts'],
  ['access/find.ts', '../features/people/users/users.service.ts'],
  ['access/find.ts', '../app.ts'],
  ['queue/queue.ts', '../features/spaces/projects/projects.jobs.ts'],
  ['queue/queue.ts', '../http/page.ts'],
  ['queue/queue.ts', '../git/process/run.ts'],
  ['queue/queue.ts', '../transport/access/access.ts'],
  ['http/serve/mount.ts', '../../features/index.ts'],
  ['http/serve/mount.ts', '../../features/people/users/users.service.ts'],
  ['http/serve/mount.ts', '../../transport/access/access.ts'],
  ['http/serve/mount.ts', '../../queue/queue.ts'],
  ['http/serve/mount.ts', '../../pages/html.ts'],
  ['features/repository/tags/tags.service.ts', '../../spaces/members/members.queries.ts'],
  ['features/repository/tags/tags.service.ts', '../../spaces/members/members.endpoints.ts'],
  ['features/repository/tags/tags.service.ts', '../pushes/pushes.service.ts'],
  ['features/repository/tags/tags.service.ts', '../pushes/pushes.jobs.ts'],
  ['features/repository/tags/tags.service.ts', '../pushes/pushes.subscribers.ts'],
  ['features/repository/tags/tags.service.ts', '../snapshots.endpoints.ts'],
  ['features/index.ts', './repository/pushes/record.ts'],
  ['features/index.ts', './repository/tags/tags.endpoints.ts'],
  ['features/repository/tags/tags.service.ts', '../pushes/pushes.feature.ts'],
  ['features/subscribers.ts', './repository/pushes/pushes.queries.ts'],
  ['transport/smart-http.ts', '../features/subscribers.ts'],
  ['domain-events/events.ts', '../features/repository/pushes/pushes.ts'],
  ['domain-events/domain-events.ts', '../http/page.ts'],
  ['features/spaces/members/members.service.ts', '../../repository/tags/tags.present.ts'],
  ['transport/smart-http.ts', '../features/repository/pushes/allowed-changes.ts'],
  ['features/repository/tags/tags.service.ts', '../../index.ts'],
  ['features/repository/tags/tags.service.ts', '../../../transport/smart-http.ts'],
  ['features/repository/tags/tags.service.ts', '../../../server.ts'],
  ['features/repository/tags/tags.service.ts', '../../../pages/html.ts'],
  ['transport/smart-http.ts', '../features/index.ts'],
  ['transport/smart-http.ts', '../features/spaces/projects/projects.queries.ts'],
  ['transport/smart-http.ts', '../features/spaces/projects/projects.endpoints.ts'],
  ['transport/smart-http.ts', '../server.ts'],
  ['transport/ssh/session.ts', '../../features/people/keys/keys.queries.ts'],
  ['transport/ssh/session.ts', '../../features/index.ts'],
  ['transport/ssh/session.ts', '../../server.ts'],
  ['pages/help.ts', '../features/people/users/users.queries.ts'],
  ['pages/help.ts', '../features/people/users/users.endpoints.ts'],
  ['pages/help.ts', '../features/index.ts'],
  ['pages/help.ts', '../transport/access/access.ts'],
  ['pages/help.ts', '../queue/queue.ts'],
  ['pages/help.ts', '../server.ts'],
  ['store/folder.ts', '../db/database.ts'],
  ['store/folder.ts', '../app.ts'],
  ['outgoing/ssrf-guard.ts', '../db/database.ts'],
  ['outgoing/ssrf-guard.ts', '../git/process/run.ts'],
  ['outgoing/ssrf-guard.ts', '../app.ts'],
  ['backup/backup.ts', '../features/repository/pushes/record.ts'],
  ['backup/backup.ts', '../queue/queue.ts'],
  ['backup/backup.ts', '../http/page.ts'],
  ['processes/primary.ts', '../app.ts'],
  ['processes/primary.ts', '../db/database.ts'],
  ['limits/concurrency.ts', '../http/page.ts'],
  ['a-new-room/thing.ts', '../db/database.ts'],
  ['features/people/users/users.service.ts', '../../spaces/members/members.ts'],
  ['features/people/users/users.service.ts', '../../a-new-wing/things/things.ts'],
  ['features/a-new-wing/things/things.ts', '../../people/users/users.ts'],
  ['features/spaces/members/members.service.ts', '../../namespaces/namespaces.queries.ts'],
  ['pages/frame/header.ts', '../project/address.ts'],
]

const permitted: Array<[file: string, imported: string]> = [
  ['git/refs/refs.ts', '../process/run.ts'],
  ['git/refs/refs.ts', '../../failure.ts'],
  ['git/refs/refs.ts', 'node:fs/promises'],
  ['db/sqlite.ts', './tables.ts'],
  ['db/sqlite.ts', '../failure.ts'],
  ['db/sqlite.ts', 'kysely'],
  ['access/find.ts', '../db/database.ts'],
  ['access/find.ts', './levels.ts'],
  ['queue/queue.ts', '../db/database.ts'],
  ['http/serve/mount.ts', '../../access/find.ts'],
  ['http/serve/mount.ts', '../../git/repository/repository.ts'],
  ['pages/help.ts', '../features/people/users/users.ts'],
  ['pages/help.ts', '../http/caller/cookies.ts'],
  ['store/folder.ts', './store.ts'],
  ['store/bucket.ts', '@aws-sdk/client-s3'],
  ['transport/ssh/session.ts', '../../features/people/keys/keys.ts'],
  ['features/repository/tags/tags.service.ts', './tags.queries.ts'],
  ['features/repository/tags/tags.service.ts', '../../spaces/members/members.ts'],
  ['features/repository/tags/tags.service.ts', '../../../domain-events/domain-events.ts'],
  ['features/repository/tags/tags.service.ts', '../commits/commits.schema.ts'],
  ['features/repository/tags/tags.service.ts', '../pushes/pushes.ts'],
  ['features/repository/tags/tags.service.ts', '../revisions.ts'],
  ['transport/smart-http.ts', '../features/repository/pushes/pushes.ts'],
  ['features/repository/tags/tags.service.ts', '../../../git/refs/refs.ts'],
  ['features/index.ts', './repository/tags/tags.feature.ts'],
  ['features/index.ts', './subscribers.ts'],
  ['features/subscribers.ts', './repository/stats/stats.jobs.ts'],
  ['features/subscribers.ts', './repository/stats/stats.subscribers.ts'],
  ['cli.ts', './features/subscribers.ts'],
  ['transport/smart-http.ts', '../features/spaces/projects/projects.ts'],
  ['transport/smart-http.ts', '../git/wire/protocol.ts'],
  ['processes/services.ts', '../limits/concurrency.ts'],
  ['server.ts', './features/index.ts'],
]

test('the source obeys the import law, and benches and tools have no circles', () => {
  const at = (folder: string) => fileURLToPath(new URL(`../../${folder}`, import.meta.url))
  expect(violations(at('src'))).toEqual([])
  for (const folder of ['bench', 'tools']) expect(circles(readImports(at(folder)))).toEqual([])
})

test('what a room may not know it cannot import, not even as a type, at run time or as a re-export', async () => {
  for (const [file, imported] of forbidden) {
    for (const code of [
      `import { a } from '${imported}'\na()\n`,
      `import {\n  a,\n  type B,\n} from '${imported}'\n`,
      `import type { A } from '${imported}'\n`,
      `import '${imported}'\n`,
      `export { a } from '${imported}'\n`,
      `export * from '${imported}'\n`,
      `export const a = await import('${imported}')\n`,
      `export type A = import('${imported}').A\n`,
    ]) {
      expect([file, code, refusedImports(await imports({ [file]: code })).length]).toEqual([file, code, 1])
    }
  }
})

test('what a room may know it can import', async () => {
  for (const [file, imported] of permitted) {
    expect([file, imported, refusedImports(await imports({ [file]: `import { a } from '${imported}'\na()\n` }))]).toEqual([
      file,
      imported,
      [],
    ])
  }
})

test('nothing but the dialects names one', async () => {
  const code = `import { SqliteAdapter } from 'kysely'\nexport const isSqlite = (adapter: unknown) => adapter instanceof SqliteAdapter\n`
  expect(await refused({ 'db/sqlite.ts': code })).toEqual([])
  expect(await refused({ 'db/search.ts': code })).toEqual([
    'src/db/search.ts may not name an engine: db/engine/capabilities.ts says what it can do',
  ])
})

test('pages and endpoints open no transactions', async () => {
  const opening = [
    `import { inTransaction } from '../../db/database.ts'\n`,
    `import {\n  type Db,\n  inTransaction,\n} from '../../db/database.ts'\n`,
  ]
  for (const file of ['pages/help/help.pages.ts', 'features/people/users.endpoints.ts']) {
    for (const code of opening) expect([file, code, (await refused({ [file]: code })).length]).toEqual([file, code, 1])
    expect(
      await refused({ [file]: `import { type Db } from '../../db/database.ts'\nimport type { Tx } from '../../db/database.ts'\n` }),
    ).toEqual([])
  }
  for (const code of opening) expect(await refused({ 'features/people/users.service.ts': code })).toEqual([])
})

test('of a feature, only queries hold SQL', async () => {
  const statement = `export const rows = (db: Db) => db.selectFrom('users').selectAll().execute()\n`
  const fragment = `import { type Db, sql } from 'kysely'\n`
  for (const code of [statement, fragment]) {
    for (const file of ['features/people/users/users.service.ts', 'features/people/users/users.ts', 'features/kinds.ts'])
      expect([file, code, (await refused({ [file]: code })).length]).toEqual([file, code, 1])
    for (const file of ['features/people/users/users.queries.ts', 'access/users.ts'])
      expect([file, code, await refused({ [file]: code })]).toEqual([file, code, []])
  }
  expect(await refused({ 'features/people/users/users.service.ts': `import type { Insertable } from 'kysely'\n` })).toEqual([])
})

test('tests may import what they like', async () => {
  expect(await imports({ 'git/refs/refs.test.ts': `import { a } from '../../db/database.ts'\n` })).toEqual(new Map())
})

test('a circle between files or folders is found, and a tree is none', async () => {
  const of = async (files: Record<string, string>) => circles(await imports(importing(files)))
  expect(await of({ 'a/x.ts': '../b/x.ts', 'b/x.ts': '../c/x.ts', 'c/x.ts': 'kysely' })).toEqual([])
  expect(await of({ 'a/x.ts': './y.ts', 'a/y.ts': './z.ts', 'a/z.ts': './x.ts' })).toEqual([['a/x.ts', 'a/y.ts', 'a/z.ts']])
  const folders = { 'a/x.ts': '../b/x.ts', 'b/x.ts': 'kysely', 'b/y.ts': '../a/y.ts', 'a/y.ts': 'kysely' }
  expect(await of(folders)).toEqual([['a', 'b']])
  expect(await of({ 'f/w/a/x.ts': '../b/x.ts', 'f/w/b/x.ts': '../../v/x.ts', 'f/v/x.ts': '../w/a/y.ts', 'f/w/a/y.ts': 'kysely' })).toEqual([
    ['f/v', 'f/w/a', 'f/w/b'],
  ])
})

const importing = (files: Record<string, string>) =>
  Object.fromEntries(Object.entries(files).map(([file, name]) => [file, `import { a } from '${name}'\n`]))

/** The imports of these files, which are written to a source folder of their own. */
function imports(files: Record<string, string>): Promise<Map<string, string[]>> {
  return inFolder(files, readImports)
}

/** The violations of the whole law in these files. */
function refused(files: Record<string, string>): Promise<string[]> {
  return inFolder(files, violations)
}

async function inFolder<T>(files: Record<string, string>, read: (folder: string) => T): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), 'gitstead-law-'))
  try {
    for (const [file, code] of Object.entries(files)) {
      await mkdir(dirname(join(folder, file)), { recursive: true })
      await writeFile(join(folder, file), code)
    }
    return read(folder)
  } finally {
    await rm(folder, { recursive: true })
  }
}
