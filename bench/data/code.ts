/** Text as in source code, in many repositories, and generated lines. */
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import type { Forge } from '../forge.ts'
import { git } from '../processes.ts'
import { withToken } from '../reading.ts'
import { commit, type File, importInto, randomNumbers } from './repository.ts'

/** In the first line of one file of the repository with this number, and nowhere else. */
export const needle = (index: number) => `needle${index}haystack`

const file_bytes = 16 * 1024
/** A file of generated lines is one long line. */
const generated_bytes = 1_000_000

/** Pushes repositories on top of each other: each call goes on where the last one ended. */
export function codePusher(forge: Forge, folder: string, text_bytes: number) {
  const random = randomNumbers(4)
  const words = Array.from({ length: 60_000 }, () => wordOf(random))
  let number = 0
  let last = ''

  async function push(name: string, files: File[]): Promise<void> {
    const dir = join(folder, `${name}.git`)
    await git('/', 'init', '--quiet', '--bare', '--initial-branch=main', dir)
    await importInto(dir, () => [commit('main', 0, files)])
    await forge.call('POST', '/projects', { name })
    await git(dir, 'push', '--quiet', `${withToken(forge)}/root/${name}.git`, 'main')
    if (last !== '') rmSync(last, { recursive: true })
    last = dir
  }

  return {
    /** Until there are so many. */
    async until(count: number): Promise<void> {
      for (; number < count; number += 1) await push(`code-${number}`, [...filesOf(number, text_bytes, random, words)])
    },
    /** So many bytes of it, each file in one line of words that no other file has. */
    async generated(bytes: number): Promise<void> {
      const count = Math.ceil(bytes / generated_bytes)
      await push(
        'generated',
        Array.from({ length: count }, (_, index): File => [`dist/bundle-${index}.js`, generatedText(index, random)]),
      )
    },
    /** The repository that was pushed last, and its name. */
    get last() {
      return { dir: last, name: `code-${number - 1}` }
    },
  }
}

function* filesOf(number: number, text_bytes: number, random: () => number, words: string[]): Generator<File> {
  for (let file = 0; file * file_bytes < text_bytes; file += 1) {
    const first = file === 0 ? `// ${needle(number)} is here\n` : ''
    yield [`src/part-${file % 20}/file-${file}.ts`, first + sourceText(random, words)]
  }
}

/** Made-up identifiers, the first of them often, as in source code. */
function wordOf(random: () => number): string {
  const syllables = [
    'get',
    'set',
    'add',
    'Item',
    'List',
    'node',
    'Map',
    'key',
    'Value',
    'read',
    'Open',
    'ref',
    'Pack',
    'tree',
    'merge',
    'diff',
  ]
  const count = 1 + Math.floor(random() * 3)
  const letters = Math.floor(random() * 36 ** 3).toString(36)
  return Array.from({ length: count }, () => syllables[Math.floor(random() * syllables.length)]).join('') + letters
}

function sourceText(random: () => number, words: string[]): string {
  let made = ''
  while (made.length < file_bytes) {
    const word = () => words[Math.floor(random() ** 4 * words.length)]
    made += `export function ${word()}(${word()}: ${word()}): ${word()} {\n  return ${word()}.${word()}(${word()}, ${Math.floor(random() * 100)})\n}\n`
  }
  return made
}

function generatedText(index: number, random: () => number): string {
  const parts: string[] = []
  for (let length = 0; length < generated_bytes; length += 12) parts.push(`g${index}x${Math.floor(random() * 36 ** 6).toString(36)};`)
  return parts.join('')
}
