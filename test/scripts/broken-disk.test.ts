/** What a push and an API commit say when the disk fails under git, and what is left of them. */
import { execFile } from 'node:child_process'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { beforeAll, expect, test } from 'vitest'
import { hashedPath } from '../../src/git/repository.ts'
import { engine } from '../support/database.ts'
import { testForge } from '../support/forge.ts'
import { git, tryGit } from '../support/git.ts'
import { type ServerProcess, startServer } from './server-process.ts'
import { commit, workTree } from './wire.ts'

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

let whole: ServerProcess
let work: string

beforeAll(async () => {
  if (!canInject || engine === 'postgres') return
  whole = await startServer()
  await whole.send('POST', '/projects', { name: 'disk' })
  work = await workTree()
  await git(work, 'push', '--quiet', whole.remote('disk'), 'main')
  await whole.stop()
})

/** A folder with a `git` of our own: the real one, of whose system calls some fail. */
async function failingGit(fault: string): Promise<string> {
  const programs = join(await (await testForge()).folder(), 'bin')
  await mkdir(programs)
  const { stdout } = await run('sh', ['-c', 'command -v git'])
  const writers = 'receive-pack|fast-import|update-ref|unpack-objects'
  const script = `#!/bin/sh
case "$1" in
  ${writers}) exec strace -f -qq -o /dev/null -e inject=${fault} ${stdout.trim()} "$@" ;;
  *) exec ${stdout.trim()} "$@" ;;
esac
`
  await writeFile(join(programs, 'git'), script, { mode: 0o755 })
  return programs
}

for (const [name, fault] of Object.entries(faults)) {
  test.skipIf(!canInject || engine === 'postgres')(
    `where ${name}, the error is a clean one and nothing has changed`,
    { timeout: 60_000 },
    async () => {
      const dir = join(whole.home, 'repositories', hashedPath(1))
      const before = await git(dir, 'for-each-ref')
      const server = await startServer({ home: whole.home, programs: await failingGit(fault) })
      await commit(work, { 'more.txt': name })

      const push = await tryGit(work, 'push', server.remote('disk'), 'main')
      const actions = [{ action: 'create', file_path: `${name}.txt`, content: 'text' }]
      const answer = await server.send('POST', '/projects/1/repository/commits', { branch: 'main', commit_message: 'No', actions })
      expect(push.code).not.toBe(0)
      expect(push.stderr).toMatch(/error|rejected|failed/)
      expect([answer.status, await answer.json()]).toEqual([500, { message: expect.stringMatching(/^500 /) }])
      expect(await git(dir, 'for-each-ref')).toBe(before)
      expect(await server.stop()).toBe(0)

      whole = await startServer({ home: whole.home })
      await git(work, 'push', '--quiet', whole.remote('disk'), 'main')
      expect(await git(dir, 'rev-parse', 'main')).toBe(await git(work, 'rev-parse', 'HEAD'))
      expect((await tryGit(dir, 'fsck', '--connectivity-only')).code).toBe(0)
      await whole.stop()
    },
  )
}
