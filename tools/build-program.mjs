/** Builds the program from `src/` into `dist/`, in few files. */
import { existsSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { build } from 'esbuild'
import { root } from './prepare.mjs'

/** Packages of hundreds of small modules each, which become part of the program. All others are loaded as they are. */
const bundled = ['kysely', 'typebox']

/**
 * A start loads each module by itself, at 0.4 ms and some KB: of 560 files of ours and 950 of these packages it took half of the time.
 * Names of functions stay, and comments name the source files, so that stack traces can be read.
 * @param {{ source?: string, target?: string }} folders
 */
export async function buildProgram({ source = join(root, 'src'), target = join(root, 'dist') } = {}) {
  // What browsers get is built apart.
  const old = existsSync(target) ? readdirSync(target).filter((name) => name !== 'web') : []
  for (const name of old) rmSync(join(target, name), { recursive: true })
  /** @type {import('esbuild').BuildOptions} */
  const options = { outdir: target, bundle: true, format: 'esm', platform: 'node', target: 'node20', sourcemap: true, logLevel: 'warning' }
  // An old Node.js reads this one file alone.
  await build({ ...options, entryPoints: [join(source, 'main.ts')], plugins: [{ name: 'alone', setup: keepProgramApart }] })
  await build({
    ...options,
    // A worker thread has a file of its own. What is imported at run time stays apart.
    entryPoints: { cli: join(source, 'cli.ts'), worker: join(source, 'features/instance/markdown/worker.ts') },
    splitting: true,
    sourcesContent: false,
    nodePaths: [join(root, 'node_modules')],
    plugins: [{ name: 'packages', setup: keepPackagesApart }],
  })
}

/** @param {import('esbuild').PluginBuild} builder */
function keepProgramApart(builder) {
  builder.onResolve({ filter: /^\.\/cli\.ts$/ }, () => ({ path: './cli.js', external: true }))
}

/** @param {import('esbuild').PluginBuild} builder */
function keepPackagesApart(builder) {
  builder.onResolve({ filter: /^[^./]/ }, ({ path }) => {
    const isBundled = bundled.some((name) => path === name || path.startsWith(`${name}/`))
    return isBundled ? undefined : { path, external: true }
  })
}
