/** Pushes and API commits report a disk that fails under git, and leave nothing behind. */
import { execFile } from 'node:child_process'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { beforeAll, expect, test } from 'vitest'
import { hashedPath } from '../../../src/git/repository/repository.ts'
import { engine } from '../../support/database.ts'
import { testForge } from '../../support/forge.ts'
import { git, tryGit } from '../../support/git.ts'
import { inFullRun } from '../../support/run/tiers.ts'
import { commit, workTree } from '../git/wire.ts'
import { type ServerProcess, startServer } from '../server-process.ts'

const run = promisify(execFile)

/** Whether system calls can be made to fail here: strace is on the machine, and allowed. */
const canInject = await run('strace', ['-e', 'inject=fsync:error=EIO', '-o', '/dev/null', 'true']).then(
  () => true,
  () => false,
)

const faults = {
  'flushing a file fails with EIO': 'fsync,fdatasync:error=EIO',
  'flushing a file fails with ENOSPC': 'fsync,fdatasync:error=ENOSPC',
  'putting a file in its place fails with ENOSPC': 'rename,link:error=ENOSPC',
}

/** The one that is effective; nothing fails while the file is empty. */
let faultFile: string
let server: ServerProcess
let work: string

beforeAll(async () => {
  if (!canInject || engine === 'postgres') return
  server = await startServer({ programs: await failingGit() })
  await server.send('POST', '/projects', { name: 'disk' })
  work = await workTree()
  await git(work, 'push', '--quiet', server.remote('disk'), 'main')
})

/** A folder with a `git` of our own: the real one, of whose system calls some fail as the file says. */
async function failingGit(): Promise<string> {
  const folder = await (await testForge()).folder()
  faultFile = join(folder, 'fault')
  await writeFile(faultFile, '')
  const programs = join(folder, 'bin')
  await mkdir(programs)
  const { stdout } = await run('sh', ['-c', 'command -v git'])
  const writers = 'receive-pack|fast-import|update-ref|unpack-objects'
  const script = `#!/bin/sh
read -r fault <${faultFile}
case "$fault/$1" in
  ?*/${writers.replaceAll('|', '|?*/')}) exec strace -f -qq -o /dev/null -e "inject=$fault" ${stdout.trim()} "$@" ;;
  *) exec ${stdout.trim()} "$@" ;;
esac
`
  await writeFile(join(programs, 'git'), script, { mode: 0o755 })
  return programs
}

for (const [name, fault] of Object.entries(faults)) {
  test.skipIf(!canInject || engine === 'postgres')(
    `where ${name}, the error is a clean one and nothing has changed; and the next push works`,
    { timeout: 60_000 },
    async () => {
      const dir = join(server.home, 'repositories', hashedPath(1))
      const before = await git(dir, 'for-each-ref')
      await commit(work, { 'more.txt': name })

      await writeFile(faultFile, `${fault}\n`)
      const push = await tryGit(work, 'push', server.remote('disk'), 'main')
      const actions = [{ action: 'create', file_path: `${name}.txt`, content: 'text' }]
      const answer = await server.send('POST', '/projects/1/repository/commits', { branch: 'main', commit_message: 'No', actions })
      expect(push.code).not.toBe(0)
      expect(push.stderr).toMatch(/error|rejected|failed/)
      expect([answer.status, await answer.json()]).toEqual([500, { message: expect.stringMatching(/^500 /) }])
      expect(await git(dir, 'for-each-ref')).toBe(before)

      await writeFile(faultFile, '')
      await git(work, 'push', '--quiet', server.remote('disk'), 'main')
      expect(await git(dir, 'rev-parse', 'main')).toBe(await git(work, 'rev-parse', 'HEAD'))
      expect((await tryGit(dir, 'fsck', '--connectivity-only')).code).toBe(0)
    },
  )
}

test.skipIf(!canInject || engine === 'postgres')(
  'what such disks leave behind keeps no server from stopping, or from starting again',
  inFullRun('2 s of processor. Pushes to such disks fail cleanly above.'),
  async () => {
    expect(await server.stop()).toBe(0)
    server = await startServer({ home: server.home })
    await commit(work, { 'more.txt': 'once more' })
    await git(work, 'push', '--quiet', server.remote('disk'), 'main')
    expect(await server.stop()).toBe(0)
  },
)
