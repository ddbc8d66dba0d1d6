/** `npm start` on a checkout that isn't built yet: nothing of the build lives on beside the server. */
import { execFile } from 'node:child_process'
import { cp, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { atEndOfFile } from '../support/run/cleanup.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))

/** In place of the server: says which processes are below it. */
const main = `import { readFileSync, readdirSync } from 'node:fs'
const children = readdirSync('/proc/self/task').flatMap((task) =>
  readFileSync(\`/proc/self/task/\${task}/children\`, 'utf8').split(' ').filter(Boolean))
console.log('children:', JSON.stringify(children.map((child) => readFileSync(\`/proc/\${child}/cmdline\`, 'utf8'))))
`

/** The other programs that are built, which nobody starts here. */
const others = [
  'cli.ts',
  'git/process/fork-server.ts',
  'features/instance/markdown/worker.ts',
  'features/ci/planner/worker.ts',
  'mail/incoming/worker.ts',
]

test.skipIf(process.platform !== 'linux')('a start that builds first leaves no process of the build', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'gitstead-start-'))
  atEndOfFile(() => rm(folder, { recursive: true, force: true }))
  await cp(join(root, 'tools'), join(folder, 'tools'), { recursive: true })
  for (const name of ['package.json', 'package-lock.json']) await cp(join(root, name), join(folder, name))
  await symlink(join(root, 'node_modules'), join(folder, 'node_modules'))
  await mkdir(join(folder, 'src', 'web'), { recursive: true })
  await writeFile(join(folder, 'src', 'main.ts'), main)
  for (const name of others) {
    await mkdir(join(folder, 'src', dirname(name)), { recursive: true })
    await writeFile(join(folder, 'src', name), 'export {}\n')
  }
  const { stdout } = await promisify(execFile)(process.execPath, [join(folder, 'tools', 'start.mjs')])
  expect(stdout.trim().split('\n')).toEqual(['Building …', 'children: []'])
})
