/** Measures a running Gitstead, each row of the table against its own limit in the same run. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Forge, measureStart, startForge } from './forge.ts'
import { measureApi } from './measure-api.ts'
import { measureBytes } from './measure-bytes.ts'
import { measureGit } from './measure-git.ts'
import { measureStall } from './measure-stall.ts'
import { measureSteady } from './measure-steady.ts'
import { megabytes, pause, resident } from './processes.ts'
import { atMost, describeMachine, printTable, type Row, say } from './report.ts'
import { describeRepository, generateHistory, generateWideRoot, givenRepository } from './repository.ts'

const settling_ms = 3_000
const folder = mkdtempSync(join(tmpdir(), 'gitstead-bench-'))
try {
  await bench(process.argv[2])
} finally {
  rmSync(folder, { recursive: true, force: true, maxRetries: 3 })
}

async function bench(given: string | undefined): Promise<void> {
  say(describeMachine())
  const repository = given === undefined ? await generateHistory(join(folder, 'history.git')) : givenRepository(given)
  const wide = await generateWideRoot(join(folder, 'wide.git'))
  say(await describeRepository(repository, given === undefined))
  const rows: Row[] = [await measureStart(folder)]
  const forge = await startForge(join(folder, 'home'), { probed: true })
  try {
    rows.push(await measureIdle(forge))
    const git = await measureGit(forge, repository, folder)
    rows.push(...(await measureApi(forge, repository, wide)), ...git.rows)
    rows.push(...(await measureSteady(forge, repository, 'root/read')))
    rows.push(...(await measureBytes(forge, repository, 'root/read', folder)))
    rows.push(await measureStall(forge, git.cloned, folder))
    rows.push(measurePeak(forge))
  } finally {
    await forge.stop()
  }
  printTable(rows)
}

async function measureIdle(forge: Forge): Promise<Row> {
  await pause(settling_ms)
  const now = resident(forge.pid, 'VmRSS')
  return { what: 'memory when idle, after the start', ours: megabytes(now), limit: '', ratio: '', ...atMost(now / 1e6, 150, 'MB') }
}

function measurePeak(forge: Forge): Row {
  const [peak, now] = [resident(forge.pid, 'VmHWM'), resident(forge.pid, 'VmRSS')]
  return {
    what: 'memory at its peak, after everything',
    ours: `${megabytes(peak)}, now ${megabytes(now)}`,
    limit: '',
    ratio: '',
    ...atMost(peak / 1e6, 300, 'MB'),
  }
}
