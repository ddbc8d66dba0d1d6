/** Artifacts of a gigabyte up and down, against a plain server that writes a file and reads it; and what they cost in memory. */
import { mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { type CiForge, makeProject, makeRunners } from '../data/ci-forge.ts'
import type { FilesInput } from '../limits/files.ts'
import type { Taken, Transfer } from '../probes/transfer.ts'
import { resident, runScript, startHelper } from '../processes.ts'
import { printProgress, type Row } from '../report.ts'
import { large_bytes, loadRounds } from '../settings.ts'
import { memoryRow, resetPeak, speedRow, writeLarge } from './large.ts'

type Direction = 'up' | 'down'

export async function measureArtifacts({ engine, forge }: CiForge, folder: string): Promise<Row[]> {
  const root = join(folder, `artifacts-${engine}`)
  mkdirSync(root)
  const file = join(root, 'file')
  writeLarge(file)
  await forge.call('PUT', '/application/settings', { max_artifacts_size: 2_048 })
  const project = await makeProject(forge, 'artifacts', `test:\n  script: [make]\n  parallel: ${loadRounds + 1}\n`)
  await forge.call('POST', `/projects/${project}/pipeline`, { ref: 'main' })
  const [runner] = await makeRunners(forge, 1)
  const plain = await startHelper('files.ts', { root } satisfies FilesInput)
  const times = { up: [[], []], down: [[], []] } as Record<Direction, [number[], number[]]>
  resetPeak(forge.pid)
  const before = resident(forge.pid, 'VmRSS')
  try {
    for (let round = 0; round <= loadRounds; round += 1) {
      // A job has one archive.
      const job = (await forge.call('POST', '/jobs/request', { token: runner as string })) as { id: number; token: string }
      for (const direction of ['up', 'down'] as const) {
        printProgress(`${engine}: artifacts ${direction}, ${round} of ${loadRounds}`)
        const sent = direction === 'up' ? file : null
        const ours = { url: `${forge.url}/api/v4/jobs/${job.id}/artifacts`, headers: { 'job-token': job.token }, asForm: sent !== null }
        const took = [await transfer({ ...ours, file: sent }), await transfer({ url: `${plain.url}/copy`, headers: {}, file: sent })]
        for (const [side, took_s] of took.entries()) if (round > 0) times[direction][side]?.push(took_s)
      }
    }
  } finally {
    await plain.stop()
    rmSync(root, { recursive: true })
  }
  const peak = resident(forge.pid, 'VmHWM')
  const what = (direction: Direction) => `${engine}, artifacts, ${direction}`
  return [
    speedRow(what('up'), times.up),
    speedRow(what('down'), times.down),
    memoryRow(`${engine}, memory at its peak, during these transfers`, before, peak),
  ]
}

async function transfer(target: Transfer): Promise<number> {
  const { took_s, bytes } = await runScript<Transfer, Taken>('transfer.ts', target)
  if (target.file === null && bytes !== large_bytes) throw new Error(`${target.url} gave ${bytes} bytes of ${large_bytes}`)
  return took_s
}
