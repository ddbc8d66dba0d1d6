/** Builds the files for browsers: the style sheet, the scripts and the images of `src/web`, with a digest of their content in the name. */
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { basename, extname, join } from 'node:path'
import { brotliCompressSync } from 'node:zlib'
import { build } from 'esbuild'

/**
 * Each file of the folder itself becomes one file; the modules they import are in folders below. Scripts are named `.ts` here and `.js` in
 * the output.
 */
const entriesOf = (folder) => readdirSync(folder).filter((name) => /\.(css|svg|ts)$/.test(name))

/** @param into the folder for the files and `names.json`, which maps each name to the one with the digest */
export async function buildWeb(root, into) {
  mkdirSync(into, { recursive: true })
  const names = {}
  const written = new Set(['names.json'])
  for (const entry of entriesOf(join(root, 'src', 'web'))) {
    const name = entry.replace(/\.ts$/, '.js')
    const content = await contentOf(join(root, 'src', 'web', entry))
    const digest = createHash('sha256').update(content).digest('hex').slice(0, 12)
    names[name] = `${basename(name, extname(name))}-${digest}${extname(name)}`
    write(join(into, names[name]), () => content)
    // All of them together take 3 s of processor time.
    write(join(into, `${names[name]}.br`), () => brotliCompressSync(content))
    written.add(names[name]).add(`${names[name]}.br`)
  }
  writeFileSync(join(into, 'names.json'), JSON.stringify(names))
  for (const name of readdirSync(into)) if (!written.has(name)) rmSync(join(into, name), { recursive: true })
}

/** A file with a digest in its name is only written once, and atomically. */
function write(file, contentOf) {
  if (existsSync(file)) return
  writeFileSync(`${file}.draft`, contentOf())
  renameSync(`${file}.draft`, file)
}

async function contentOf(file) {
  if (file.endsWith('.svg')) return readFileSync(file)
  const { outputFiles } = await build({
    entryPoints: [file],
    bundle: true,
    minify: true,
    write: false,
    format: 'esm',
    target: ['chrome120', 'firefox121', 'safari17'],
    logLevel: 'error',
  })
  return Buffer.from(outputFiles[0].contents)
}
