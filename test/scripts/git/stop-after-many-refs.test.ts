import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { testForge } from '../../support/forge.ts'
import { git, seed } from '../../support/git.ts'
import { inFullRun } from '../../support/run/tiers.ts'
import { startServer } from '../server-process.ts'

const count = Number(process.env.GITSTEAD_TEST_REFS ?? 2_000)

test(
  'a server that has just taken thousands of refs ends at once when it is asked to, and goes on after a start',
  inFullRun('5 s of processor. Others start and stop a server after few refs.'),
  async () => {
    const server = await startServer()
    const clone = await (await testForge()).folder()
    await git(clone, 'init', '--quiet', '--bare', '--initial-branch=main')
    await seed(clone, [{ files: { a: '1' } }])
    const tip = await git(clone, 'rev-parse', 'main')
    const refs = Array.from({ length: count }, (_, index) => `${tip} refs/tags/n${String(index).padStart(6, '0')}\n`)
    await writeFile(join(clone, 'packed-refs'), `# pack-refs with: sorted\n${refs.join('')}`)

    await git(clone, 'push', '--quiet', server.remote('many'), 'refs/heads/main', 'refs/tags/*:refs/tags/*')
    const started = performance.now()
    const code = await server.stop()

    expect(code).toBe(0)
    expect(performance.now() - started).toBeLessThan(15_000)
    const again = await startServer({ home: server.home })
    const answer = await again.send('GET', `/projects/root%2Fmany/repository/tags?per_page=1`)
    expect(answer.headers.get('x-total')).toBe(String(count))
    await again.stop()
  },
)
