/** Pushes and writes to a wiki survive a server that dies: everything acknowledged is there, and nothing by halves. */
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { hashedWikiPath } from '../../../src/git/repository/repository.ts'
import { engine } from '../../support/database.ts'
import { git, tryGit } from '../../support/git.ts'
import { killGitBelow } from '../../support/git-processes.ts'
import { chanceOf } from '../../support/run/seed.ts'
import { inFullRun } from '../../support/run/tiers.ts'
import { commit, workTree } from '../git/wire.ts'
import { type ServerProcess, startServer } from '../server-process.ts'
import { query, settled } from './settled.ts'

const chance = chanceOf('kills of wikis')

const rounds = 2 * Number(process.env.GITSTEAD_TEST_KILLS ?? 2)
const wantedInRound = 8

/** Files of the wiki that the server said it has, `branch:path`, with their content. */
type Lane = (server: ServerProcess) => Promise<Record<string, string> | null>

let written = 0

const creation: Lane = async (server) => {
  const title = `page-${++written}`
  const answer = await server.send('POST', '/projects/1/wikis', { title, content: title })
  return answer.status === 201 ? { [`HEAD:${title}.md`]: title } : null
}

/** Each write of its own page: that of another never undoes it. */
function edit(title: string): Lane {
  const path = `/projects/1/wikis/${encodeURIComponent(title)}`
  return async (server) => {
    const content = String(++written)
    const there = (await server.status(path)) === 200
    const answer = there ? await server.send('PUT', path, { content }) : await server.send('POST', '/projects/1/wikis', { title, content })
    return answer.ok ? { [`HEAD:${title}.md`]: content } : null
  }
}

/** On a branch of its own: among many writes by the API hardly any push to theirs would be the next. */
function push(dir: string): Lane {
  return async (server) => {
    const name = `pushed-${++written}`
    await commit(dir, { [`${name}.md`]: name })
    const { code } = await tryGit(dir, 'push', '--quiet', server.remote('crash.wiki'), 'HEAD:refs/heads/side')
    return code === 0 ? { [`side:${name}.md`]: name } : null
  }
}

test.skipIf(engine === 'postgres')(
  'of pushes and API writes to a wiki among kill -9 at random moments none that was acknowledged is lost',
  {
    ...inFullRun('13 s of processor. crash.test.ts kills a server among pushes, writes by the API and housekeeping.'),
    timeout: 120_000 + rounds * 30_000,
  },
  async () => {
    let server = await startServer()
    const { home } = server
    expect((await server.send('POST', '/projects', { name: 'crash' })).status).toBe(201)
    const dir = await workTree({ 'home.md': 'Home' })
    await git(dir, 'push', '--quiet', server.remote('crash.wiki'), 'main')
    const lanes = [creation, edit('a'), edit('folder/b'), push(dir)]
    const acknowledged: Record<string, string> = { 'HEAD:home.md': 'Home' }
    let count = 0
    for (let round = 0; round < rounds; round += 1) {
      let isAlive = true
      const running = lanes.map(async (lane) => {
        while (isAlive) {
          const done = await lane(server).catch(() => null)
          if (done) count += 1
          Object.assign(acknowledged, done)
        }
      })
      const until = count + wantedInRound
      while (count < until) await setTimeout(5)
      await setTimeout(chance() * 200)
      isAlive = false
      await server.kill()
      // Every second time the machine dies with it: git has no time to clean up.
      if (round % 2 === 1) killGitBelow(home)
      await Promise.all(running)
      server = await startServer({ home })
      await settled(home)
      await expectAll(join(home, 'repositories', hashedWikiPath(1)), acknowledged)
    }
    for (const lane of lanes) expect(await lane(server)).not.toBeNull()
    const [wiki] = await query(home, (db) => db.selectFrom('wikis').select(['id', 'push_count']).execute())
    expect(wiki?.push_count).toBeGreaterThanOrEqual(count)
    expect(await server.stop()).toBe(0)
  },
)

/** An edit whose answer was lost may stand in place of the one before: its content is a later one. */
async function expectAll(dir: string, acknowledged: Record<string, string>): Promise<void> {
  expect((await tryGit(dir, 'fsck', '--connectivity-only')).code).toBe(0)
  for (const [path, content] of Object.entries(acknowledged)) {
    const found = await git(dir, 'show', path)
    if (found !== content) expect(Number(found)).toBeGreaterThan(Number(content))
  }
}
