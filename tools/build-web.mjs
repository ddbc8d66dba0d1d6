/** Builds the files for browsers: the style sheet, the scripts and the images of `src/web`, with a digest of their content in the name. */
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { basename, extname, join } from 'node:path'
import { brotliCompressSync, constants } from 'node:zlib'
import { build } from 'esbuild'

/**
 * Each file of the folder itself becomes one file; the modules they import are in folders below. Scripts are named `.ts` here and `.js` in
 * the output.
 */
const entriesOf = (folder) => readdirSync(folder).filter((name) => /\.(css|svg|ts)$/.test(name))

/**
 * Scripts of a few lines around a large package. They are bundled once for each version of it, as that takes 2 s of processor time: what
 * they import of ours are types.
 */
const vendors = { 'diagram-frame.ts': 'mermaid' }

/** @param into the folder for the files and `names.json`, which maps each name to the one with the digest */
export async function buildWeb(root, into) {
  mkdirSync(into, { recursive: true })
  const names = {}
  const written = new Set(['names.json'])
  for (const entry of entriesOf(join(root, 'src', 'web'))) {
    const name = entry.replace(/\.ts$/, '.js')
    const source = join(root, 'src', 'web', entry)
    const vendored = vendors[entry] && readFileSync(join(root, 'node_modules', vendors[entry], 'package.json'))
    const content = vendored ? null : await contentOf(source)
    const digest = createHash('sha256')
      .update(content ?? readFileSync(source))
      .update(vendored ?? '')
      .digest('hex')
      .slice(0, 12)
    names[name] = `${basename(name, extname(name))}-${digest}${extname(name)}`
    const file = join(into, names[name])
    if (!existsSync(`${file}.br`)) {
      const bytes = content ?? (await contentOf(source))
      write(file, () => bytes)
      // All of them together take 3 s of processor time.
      write(`${file}.br`, () => compressed(bytes))
    }
    written.add(names[name]).add(`${names[name]}.br`)
  }
  writeFileSync(join(into, 'names.json'), JSON.stringify(names))
  for (const name of readdirSync(into)) if (!written.has(name)) rmSync(join(into, name), { recursive: true })
}

/** The best compression of a library takes 5 s, for 10 % less. */
function compressed(bytes) {
  return brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: bytes.length > 1_000_000 ? 9 : 11 } })
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
    // Formulas within diagrams would need its style sheet and fonts: such a diagram stays text.
    external: ['katex'],
  })
  return Buffer.from(outputFiles[0].contents)
}
