/** `npm run map -- [folder]`: every source file below `src`, with the first sentence of its first comment. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { sourcesOf } from './files.mjs'
import { fail, root, say } from './prepare.mjs'

const wanted = (process.argv[2] ?? 'src').replace(/\/$/, '')
const files = sourcesOf(root).filter((name) => name === wanted || name.startsWith(`${wanted}/`))
if (files.length === 0) fail(`There is no folder ${wanted} with source files.`)

// `npm run map | head` closes the pipe early.
process.stdout.on('error', () => process.exit())

let folder = ''
for (const file of files) {
  const [, path, name] = /^(.*)\/(.*)$/.exec(file)
  if (path !== folder) say(`${folder === '' ? '' : '\n'}${path}/`)
  folder = path
  say(`  ${name.padEnd(32)} ${firstSentence(readFileSync(join(root, file), 'utf8'))}`)
}

function firstSentence(text) {
  const comment = /^\/\*\*([\s\S]*?)\*\//.exec(text)?.[1] ?? ''
  const prose = comment.replace(/\s*\n\s*\*?\s*/g, ' ').trim()
  return /^.*?\.(?=\s|$)/.exec(prose)?.[0] ?? prose
}
