/**
 * `npm run build`: compiles `src/` to `dist/`, and packs dependencies that consist of hundreds of small modules into a file each, in
 * `dist/node_modules`, where the program finds them first. Two thirds of the files that a start would open are theirs.
 * Arguments: another folder, then options of tsc.
 */
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { build } from 'esbuild'
import { root, run } from './prepare.mjs'

const many = ['kysely', 'typebox', 'image-size']

const [target = join(root, 'dist'), ...options] = process.argv.slice(2)
run(join(root, 'node_modules', '.bin', 'tsc'), ['-p', 'tsconfig.build.json', '--outDir', target, ...options])
await packDependencies(target)

async function packDependencies(dist) {
  rmSync(join(dist, 'node_modules'), { recursive: true, force: true })
  const imported = importsIn(dist)
  for (const name of many) {
    const { version, license } = JSON.parse(readFileSync(join(root, 'node_modules', name, 'package.json'), 'utf8'))
    const folder = join(dist, 'node_modules', name)
    // `typebox/compile` becomes `compile.js`. Only what the program imports can be imported from the packed one.
    const entries = [...imported].filter((path) => path === name || path.startsWith(`${name}/`))
    const outputs = new Map(entries.map((path) => [path, path.slice(name.length + 1).replaceAll('/', '-') || 'index']))
    await build({
      entryPoints: [...outputs].map(([path, out]) => ({ in: path, out })),
      absWorkingDir: root,
      outdir: folder,
      bundle: true,
      splitting: true,
      format: 'esm',
      platform: 'node',
      target: 'node20',
      logLevel: 'error',
    })
    const exports = Object.fromEntries([...outputs].map(([path, out]) => [`.${path.slice(name.length)}`, `./${out}.js`]))
    writeFileSync(join(folder, 'package.json'), JSON.stringify({ name, version, license, type: 'module', exports }))
  }
}

/** What the compiled program imports that is no file of its own. */
function importsIn(dist) {
  const found = new Set()
  for (const file of readdirSync(dist, { recursive: true })) {
    if (!file.endsWith('.js')) continue
    for (const [, path] of readFileSync(join(dist, file), 'utf8').matchAll(/^(?:import|export|\}) .*?\bfrom ['"]([^.'"][^'"]*)['"]/gm))
      found.add(path)
  }
  return found
}
