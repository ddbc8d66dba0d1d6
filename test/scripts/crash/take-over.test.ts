/** Jobs of a server that was killed: the next one goes on with them at its start. */
import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { openDatabase } from '../../../src/db/database.ts'
import { stateOf } from '../../../src/program/process-identity.ts'
import { prepareDataFolder } from '../../support/data-folder.ts'
import { engine } from '../../support/database.ts'
import { testForge } from '../../support/forge.ts'
import { git } from '../../support/git.ts'
import { inFullRun } from '../../support/run/tiers.ts'
import { workTree } from '../git/wire.ts'
import { startServer } from '../server-process.ts'

test(
  `a job that a killed server was at is begun again by the next one, long before its lease ends (${engine})`,
  inFullRun(
    '2 s of processor: two servers. queue.test.ts takes over the jobs of a process that has died, and crash.test.ts starts servers after kills.',
  ),
  async () => {
    const folder = await (await testForge()).folder()
    const home = join(folder, 'home')
    const database = await prepareDataFolder(home)
    const programs = await slowGit(folder)
    const options = { home, programs, ...(database.url && { database_url: database.url }) }
    const first = await startServer(options)
    const db = openDatabase(database.location)
    const isCounting = async () => (await readFile(join(folder, 'pids'), 'utf8')) !== ''
    const held = () => db.selectFrom('jobs').selectAll().where('owner', 'is not', null).where('name', 'like', 'p%').execute()
    await first.send('POST', '/projects', { name: 'work' })
    const work = await workTree()
    await git(work, 'push', '--quiet', first.remote('work'), 'main')

    while (!(await isCounting())) await setTimeout(20)
    const [job, ...more] = await held()
    expect([job?.name, job?.attempts, stateOf(job?.owner ?? ''), more]).toEqual([expect.any(String), 1, 'alive', []])
    await first.kill()
    expect(stateOf(job?.owner ?? '')).toBe('dead')
    expect(Date.parse(job?.run_at ?? '') - Date.now()).toBeGreaterThan(2 * 60_000)
    await writeFile(join(folder, 'slow'), '')
    const second = await startServer(options)
    const waiting = () =>
      db
        .selectFrom('jobs')
        .select('name')
        .where('id', '=', job?.id ?? 0)
        .executeTakeFirst()
    while (await waiting()) await setTimeout(20)
    const isDescribed = () => db.selectFrom('events').select('id').where('commit_count', '=', 1).executeTakeFirst()
    while (!(await isDescribed())) await setTimeout(20)

    expect(await db.selectFrom('events').select(['ref', 'commit_count']).where('action', '=', 'pushed').execute()).toEqual([
      { ref: 'refs/heads/main', commit_count: 1 },
    ])
    await second.stop()
    await db.destroy()
    await database.drop()
    for (const pid of (await readFile(join(folder, 'pids'), 'utf8')).trim().split('\n')) end(Number(pid))
  },
)

/** A folder with a `git` that doesn't come to its end where commits are counted, as long as the file `slow` says so. */
async function slowGit(folder: string): Promise<string> {
  const programs = join(folder, 'bin')
  await mkdir(programs)
  await writeFile(join(folder, 'slow'), 'yes\n')
  await writeFile(join(folder, 'pids'), '')
  const script = `#!/bin/sh
read -r slow <'${folder}/slow'
case "$slow $1" in
  'yes rev-list') echo $$ >>'${folder}/pids'; exec sleep 600 ;;
esac
PATH='${process.env.PATH}' exec git "$@"
`
  await writeFile(join(programs, 'git'), script)
  await chmod(join(programs, 'git'), 0o755)
  return programs
}

function end(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch {
    // It has ended with its server.
  }
}
