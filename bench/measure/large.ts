/** A large file up and down, against a plain server that writes it to a file and reads it from there; and what it costs in memory. */
import { createHash, randomBytes } from 'node:crypto'
import { closeSync, openSync, rmSync, writeFileSync, writeSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { Forge } from '../forge.ts'
import type { FilesInput } from '../limits/files.ts'
import type { Taken, Transfer } from '../probes/transfer.ts'
import { megabytes, resident, runScript, startHelper } from '../processes.ts'
import { atLeast, atMost, digits, median, printProgress, type Row } from '../report.ts'
import { large_bytes, loadRounds } from '../settings.ts'

/** The server's memory may grow by so much, whatever the size of the file: what garbage waits to be collected. */
const maxGrowth_MB = 100

type Direction = 'up' | 'down'

export async function measureLarge(forge: Forge, folder: string): Promise<Row[]> {
  printProgress('making a large file')
  const root = join(folder, 'large')
  await mkdir(root)
  const file = join(root, 'file')
  const oid = writeLarge(file)
  await forge.call('POST', '/projects', { name: 'large', visibility: 'private' })
  const plain = await startHelper('files.ts', { root } satisfies FilesInput)
  const authorization = `Basic ${Buffer.from(`root:${forge.token}`).toString('base64')}`
  const sides = [
    { url: `${forge.url}/root/large.git/info/lfs/objects/${oid}`, headers: { authorization, 'content-type': 'application/octet-stream' } },
    { url: `${plain.url}/copy`, headers: {} },
  ]
  const times = { up: [[], []], down: [[], []] } as Record<Direction, [number[], number[]]>
  resetPeak(forge.pid)
  const before = resident(forge.pid, 'VmRSS')
  try {
    for (let round = 0; round <= loadRounds; round += 1) {
      for (const direction of ['up', 'down'] as const) {
        printProgress(`a large file ${direction}, ${round} of ${loadRounds}`)
        for (const [side, target] of sides.entries()) {
          const took_s = await transfer(target, direction === 'up' ? file : null)
          if (round > 0) times[direction][side]?.push(took_s)
        }
      }
    }
  } finally {
    await plain.stop()
    rmSync(root, { recursive: true })
  }
  const peak = resident(forge.pid, 'VmHWM')
  const what = (direction: Direction) => `a file of ${megabytes(large_bytes)} by LFS, ${direction}`
  return [
    speedRow(what('up'), times.up),
    speedRow(what('down'), times.down),
    memoryRow('memory at its peak, during these transfers', before, peak),
  ]
}

/** Writes it, and gives its SHA-256. */
export function writeLarge(file: string): string {
  const hash = createHash('sha256')
  const handle = openSync(file, 'w')
  const chunk = randomBytes(1024 * 1024)
  for (let written = 0; written < large_bytes; written += chunk.length) {
    chunk.writeUInt32BE(written / chunk.length)
    hash.update(chunk)
    writeSync(handle, chunk)
  }
  closeSync(handle)
  return hash.digest('hex')
}

async function transfer(target: { url: string; headers: Record<string, string> }, file: string | null): Promise<number> {
  const { took_s, bytes } = await runScript<Transfer, Taken>('transfer.ts', { ...target, file })
  if (file === null && bytes !== large_bytes) throw new Error(`${target.url} gave ${bytes} bytes of ${large_bytes}`)
  return took_s
}

/** @param times of ours, and of a plain server, in seconds */
export function speedRow(what: string, times: [number[], number[]]): Row {
  const [ours, limit] = times.map(median) as [number, number]
  const speed = (took_s: number) => `${digits(large_bytes / 1e6 / took_s)} MB/s`
  return {
    what,
    ours: speed(ours),
    limit: `a plain HTTP server with a file: ${speed(limit)}`,
    ratio: digits(limit / ours),
    ...atLeast(limit / ours, 0.5),
  }
}

export function memoryRow(what: string, before: number, peak: number): Row {
  return {
    what,
    ours: `${megabytes(peak)}, before them ${megabytes(before)}`,
    limit: '',
    ratio: '',
    ...atMost((peak - before) / 1e6, maxGrowth_MB, 'MB more'),
  }
}

/** The highest is counted anew from now on (proc(5)). */
export function resetPeak(pid: number): void {
  writeFileSync(`/proc/${pid}/clear_refs`, '5')
}
