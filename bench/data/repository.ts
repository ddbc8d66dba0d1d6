/** The repositories that are pushed: a history of a few thousand commits, and a root with 500 files. */
import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { git } from '../processes.ts'
import { commits, quick } from '../settings.ts'

export const wideBranch = 'bench-wide'
export const wideFile = 'file-250.txt'
const wideFiles = 500
const wideFile_bytes = 4_096
const usual: HistorySize = { commits, file_bytes: 4_096 }

/** The absolute path of a repository that was named on the command line. */
export function givenRepository(path: string): string {
  const dir = resolve(path)
  if (!existsSync(join(dir, 'objects'))) throw new Error(`${path} is no bare repository`)
  return dir
}

export async function describeRepository(dir: string, generated: boolean): Promise<string> {
  const count = await git(dir, 'rev-list', '--count', '--branches', '--tags')
  const size = /^size-pack: (\d+)$/m.exec(await git(dir, 'count-objects', '-v'))?.[1]
  return `${generated ? 'A generated' : 'A given'} repository of ${Number(count).toLocaleString('en')} commits, ${Math.round(Number(size) / 1024)} MiB packed`
}

/** So many commits, and the size of each of their files. */
export interface HistorySize {
  commits: number
  file_bytes: number
}

/** A history as people make it: 400 files in 20 folders, a few lines of two of them changed by each commit, a tag now and then. */
export function generateHistory(dir: string, { commits, file_bytes }: HistorySize = usual): Promise<string> {
  return generate(dir, function* () {
    const random = randomNumbers(1)
    const paths = Array.from({ length: 400 }, (_, index) => `src/part-${index % 20}/file-${index}.ts`)
    const files = new Map(paths.map((path) => [path, text(random, file_bytes).split('\n')]))
    yield commit(
      'main',
      0,
      [...files].map(([path, lines]): File => [path, lines.join('\n')]),
    )
    for (let number = 1; number < commits; number += 1) {
      const changed = [0, 1].map((): File => {
        const path = paths[Math.floor(random() * paths.length)] as string
        const lines = files.get(path) as string[]
        for (let line = 0; line < 3; line += 1) lines[Math.floor(random() * lines.length)] = text(random, 60)
        return [path, lines.join('\n')]
      })
      yield commit('main', number, changed)
      if (number % 250 === 0) yield `reset refs/tags/v${number / 250}\nfrom refs/heads/main\n\n`
    }
  })
}

/** One commit with 500 files of 4 KB in its root, on a branch of its own. */
export function generateWideRoot(dir: string): Promise<string> {
  return generate(dir, function* () {
    const random = randomNumbers(2)
    yield commit(
      wideBranch,
      0,
      Array.from({ length: wideFiles }, (_, index): File => [`file-${index}.txt`, text(random, wideFile_bytes)]),
    )
  })
}

export const manyTags = quick ? 500 : 20_000
export const bigFile = 'big.bin'
const bigFile_bytes = 1024 * 1024

/** So many tags, one in four of them annotated, on a hundred commits. */
export function generateTags(dir: string): Promise<string> {
  return generate(dir, function* () {
    for (let number = 0; number < 100; number += 1) {
      yield commit('main', number, [['a.txt', String(number)]])
      for (let tag = number * (manyTags / 100); tag < (number + 1) * (manyTags / 100); tag += 1) {
        const tagger = `Ada <ada@example.com> ${firstCommit_s + number * 60} +0000`
        yield tag % 4 === 0
          ? `tag v${tag}\nfrom refs/heads/main\ntagger ${tagger}\n${data(`Version ${tag}`)}`
          : `reset refs/tags/v${tag}\nfrom refs/heads/main\n\n`
      }
    }
  })
}

/** So many new refs, branches and tags in turn, on a hundred commits of `main`. */
export function generateRefs(dir: string, count: number): Promise<string> {
  return generate(dir, function* () {
    for (let number = 0; number < 100; number += 1) {
      yield commit('main', number, [['a.txt', String(number)]])
      for (let ref = number * (count / 100); ref < (number + 1) * (count / 100); ref += 1) {
        yield `reset refs/${ref % 2 === 0 ? 'heads' : 'tags'}/n${ref}\nfrom refs/heads/main\n\n`
      }
    }
  })
}

/** One file of a megabyte. */
export function generateBig(dir: string): Promise<string> {
  return generate(dir, function* () {
    yield commit('main', 0, [[bigFile, text(randomNumbers(3), bigFile_bytes)]])
  })
}

/** A bare repository made of what `git fast-import` reads. */
export async function generate(dir: string, stream: () => Iterable<string>): Promise<string> {
  await git('/', 'init', '--quiet', '--bare', '--initial-branch=main', dir)
  await importInto(dir, stream)
  await git(dir, 'repack', '-a', '-d', '-f', '--quiet')
  return dir
}

/** Adds to a repository what `git fast-import` reads. */
export async function importInto(dir: string, stream: () => Iterable<string>): Promise<void> {
  const child = spawn('git', ['fast-import', '--quiet'], { cwd: dir, stdio: ['pipe', 'inherit', 'inherit'] })
  const ended = new Promise((done) => child.once('close', done))
  await pipeline(Readable.from(stream()), child.stdin)
  if ((await ended) !== 0) throw new Error('git fast-import failed')
}

export type File = [path: string, content: string]

const firstCommit_s = 1_700_000_000

/**
 * A commit on top of its branch, for `git fast-import`. All text is ASCII: characters are bytes.
 * @param from the commit on which a new branch begins
 */
export function commit(branch: string, number: number, files: File[], from?: string): string {
  const author = `Ada <ada@example.com> ${firstCommit_s + number * 60} +0000`
  const message = `Change number ${number}\n\nWhat was wrong, and how it is right now.\n`
  const changes = files.map(([path, content]) => `M 100644 inline ${path}\n${data(content)}`)
  return `commit refs/heads/${branch}\nauthor ${author}\ncommitter ${author}\n${data(message)}${from === undefined ? '' : `from ${from}\n`}${changes.join('')}\n`
}

function data(content: string): string {
  return `data ${content.length}\n${content}\n`
}

/** Lines of made-up words, as compressible as source code. */
function text(random: () => number, length: number): string {
  let made = ''
  while (made.length < length) {
    const word = Math.floor(random() ** 3 * 5_000).toString(36)
    made += random() < 0.12 ? `${word}\n` : `${word} `
  }
  return made.slice(0, length)
}

/** A seeded generator of numbers from 0 to 1 (mulberry32), so that every run has the same data. */
export function randomNumbers(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}
