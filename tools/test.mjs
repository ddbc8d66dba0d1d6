/** `npm test`: every test, on SQLite and, where there is one, on PostgreSQL. Arguments are handed to vitest. */
import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { startPostgres } from './postgres.mjs'
import { ensureInstalled, requireNode, root, say } from './prepare.mjs'

requireNode()
ensureInstalled()
const given = process.env.GITSTEAD_TEST_DATABASE_URL
const postgres = given ? null : await startPostgres()
const url = given ?? postgres?.url
if (!url) say('No PostgreSQL here (no server binary, no GITSTEAD_TEST_DATABASE_URL): the database tests run on SQLite alone.')

const vitest = spawn(process.execPath, [join(root, 'node_modules', 'vitest', 'vitest.mjs'), 'run', ...process.argv.slice(2)], {
  cwd: root,
  stdio: 'inherit',
  env: { ...process.env, ...(url && { GITSTEAD_TEST_DATABASE_URL: url }) },
})
const code = await new Promise((resolve) => vitest.once('exit', (status) => resolve(status ?? 1)))
await postgres?.stop()
process.exit(code)
