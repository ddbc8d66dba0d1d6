/** Memory of the pages: of an idle server with them and without, and of one that highlights file after file. */
import { appendFileSync, cpSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { buildProgram } from '../tools/build-program.mjs'
import type { MeasuredForge } from './data/page-fixture.ts'
import { startForge } from './forge.ts'
import { megabytes, pause, resident, root } from './processes.ts'
import { atMost, median, printProgress, type Row } from './report.ts'
import { settling_ms, startRounds } from './settings.ts'

const readers = 4
const sample_ms = 25

export interface PageMemory {
  /** With the rows of a forge that is asked for every file, several at once. */
  rows: (measured: MeasuredForge & { cookie: string }) => Promise<Row[]>
}

/** Measures the idle servers now. */
export async function measurePageMemory(folder: string): Promise<PageMemory> {
  const without = await buildWithoutPages(folder)
  const idle: { with: number[]; without: number[] } = { with: [], without: [] }
  for (let round = 0; round < startRounds; round += 1) {
    printProgress(`memory with and without pages, round ${round + 1}`)
    idle.with.push(await idleMemory(join(folder, `with-${round}`), root))
    idle.without.push(await idleMemory(join(folder, `without-${round}`), without))
  }
  const [ours, limit] = [median(idle.with), median(idle.without)]
  const idleRow: Row = {
    what: 'memory idle, more than without pages',
    ours: `${megabytes(ours)} (${megabytes(ours - limit)} more)`,
    limit: `without pages: ${megabytes(limit)}`,
    ratio: (ours / limit).toFixed(2),
    ...atMost((ours - limit) / 1e6, 10, 'MB'),
  }
  return { rows: async (measured) => [idleRow, await highlightingRow(measured)] }
}

async function idleMemory(home: string, program: string): Promise<number> {
  const forge = await startForge(home, { program })
  try {
    await pause(settling_ms)
    return resident(forge.pid, 'VmRSS')
  } finally {
    await forge.stop()
  }
}

/** The program with an empty list of pages: what only they import is left out of the build. */
async function buildWithoutPages(folder: string): Promise<string> {
  const copy = join(folder, 'without-pages')
  mkdirSync(copy)
  for (const name of ['src', 'package.json']) cpSync(join(root, name), join(copy, name), { recursive: true })
  symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'))
  writeFileSync(
    join(copy, 'src', 'pages', 'index.ts'),
    "import type { Page } from './frame/declaration.ts'\n\nexport const pages: Page[] = []\n",
  )
  await buildProgram({ source: join(copy, 'src'), target: join(copy, 'dist') })
  cpSync(join(root, 'dist', 'web'), join(copy, 'dist', 'web'), { recursive: true })
  appendFileSync(join(copy, 'dist', '.gitstead-built'), '')
  return copy
}

/** Every file for the first time, and the large diffs, by several readers: the peak while they are at it. */
async function highlightingRow({ forge, addresses, cookie }: MeasuredForge & { cookie: string }): Promise<Row> {
  printProgress('memory with the thread at work')
  const paths = [...addresses.blobs, addresses.diff3000, addresses.diff10000]
  let peak_bytes = 0
  let isDone = false
  const watching = (async () => {
    for (; !isDone; await pause(sample_ms)) peak_bytes = Math.max(peak_bytes, resident(forge.pid, 'VmRSS'))
  })()
  const read = async (first: number) => {
    for (let index = first; index < paths.length; index += readers) {
      const answer = await fetch(forge.url + paths[index], { headers: { cookie, 'accept-encoding': 'gzip' } })
      await answer.arrayBuffer()
      if (!answer.ok) throw new Error(`${paths[index]} was answered with ${answer.status}`)
    }
  }
  await Promise.all(Array.from({ length: readers }, (_, first) => read(first)))
  isDone = true
  await watching
  return {
    what: `memory with the thread at work: ${addresses.blobs.length} files and two large diffs, ${readers} at once`,
    ours: megabytes(peak_bytes),
    limit: '',
    ratio: '',
    ...atMost(peak_bytes / 1e6, 200, 'MB'),
  }
}
