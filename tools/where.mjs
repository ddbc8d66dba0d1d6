/** `npm run where -- 'GET /projects/:id/issues/:iid/notes'`: the file and line that declare an endpoint, a page or a route of git. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { register } from 'tsx/esm/api'
import { sourcesOf } from './files.mjs'
import { fail, root, say } from './prepare.mjs'

const usage = "Say what to look for: npm run where -- 'GET /projects/:id/issues/:iid/notes'"

/** All declarations, read once. It must be declared before the first call below. */
let all

if (import.meta.url === pathToFileURL(process.argv[1]).href) await main(process.argv.slice(2).join(' ').trim())

async function main(wanted) {
  if (!/^[A-Z]+ \/\S*$/.test(wanted)) fail(usage)
  register()
  const found = await declarationsOf(wanted)
  if (found.length === 0) fail(`Nothing declares ${wanted}. Parameters may have any name, but each needs its place.`)
  for (const { file, line, signature } of found) say(`${file}:${line}  ${signature}`)
}

/** The declarations of a route. Names of parameters don't matter; `/api/v4` may be left out. */
export async function declarationsOf(wanted) {
  const found = (await allDeclared()).filter(({ signature }) => shapeOf(signature) === shapeOf(wanted))
  if (found.length === 0) return inTransport(wanted)
  const placed = found.map((one) => ({ ...one, ...literally(one.signature) }))
  return [...new Map(placed.map((one) => [`${one.file}:${one.line}`, one])).values()]
}

/** Literal matches: a file may export what a function in another file declares. */
function literally(signature) {
  for (const file of sourcesOf(root).filter((name) => /\.(endpoints|pages)\.ts$/.test(name))) {
    const index = linesOf(file).findIndex((text) => text.includes(`('${signature.replace(' /api/v4/', ' /')}'`))
    if (index !== -1) return { file, line: index + 1 }
  }
  return {}
}

/** Git and LFS have no declarations: finds the lines with the end of their paths. */
function inTransport(wanted) {
  const end = wanted.slice(wanted.lastIndexOf('/') + 1)
  if (!/^[a-z]+(-[a-z]+)*$/.test(end)) return []
  return sourcesOf(root)
    .filter((file) => file.startsWith('src/transport/'))
    .flatMap((file) =>
      linesOf(file).flatMap((text, index) => (knows(text, end) ? [{ file, line: index + 1, signature: text.trim() }] : [])),
    )
}

function knows(text, end) {
  return !/^\s*(\/?\*|\/\/|import)/.test(text) && new RegExp(`[/'|(]${end}['|)$?\\\\]`).test(text)
}

function linesOf(file) {
  return readFileSync(join(root, file), 'utf8').split('\n')
}

/** Every endpoint and page that a file exports; read once. */
export function allDeclared() {
  all ??= Promise.all([declared('.endpoints.ts'), declared('.pages.ts')]).then((kinds) => kinds.flat())
  return all
}

function shapeOf(signature) {
  return signature.replace(' /api/v4/', ' /').replace(/:\w+/g, ':')
}

/** The exports of all files with this suffix: endpoints or pages, single or in lists. */
async function declared(ending) {
  const files = sourcesOf(root).filter((file) => file.endsWith(ending))
  const found = []
  for (const file of files) {
    const exported = Object.values(await import(pathToFileURL(join(root, file)).href)).flat()
    const lines = linesOf(file)
    for (const one of exported) {
      const path = one?.path ?? one?.pattern?.text
      if (one?.method && typeof path === 'string')
        found.push({ file, signature: `${one.method} ${path}`, line: lineOf(lines, one.method, path) })
    }
  }
  return found
}

/** The line with the longest literal part of the path, preferably with the method beside it. */
function lineOf(lines, method, path) {
  const parts = path.split('/').slice(1)
  for (let from = 0; from < parts.length; from++) {
    const tail = `/${parts.slice(from).join('/')}`
    const having = lines.flatMap((line, index) => (new RegExp(`${escaped(tail)}['\`]`).test(line) ? [index] : []))
    if (having.length > 0) return (having.find((index) => lines[index].includes(method)) ?? having[0]) + 1
  }
  return 1
}

function escaped(text) {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
}
