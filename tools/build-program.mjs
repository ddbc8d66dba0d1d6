/** Builds the program from `src/` into `dist/`, in few files. */
import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { build as bundle } from 'esbuild'
import { root } from './prepare.mjs'

/** Packages of hundreds of small modules each, which are bundled into the program. All others are loaded unchanged. */
const bundled = ['kysely', 'typebox']

/**
 * A start loads each module by itself, at 0.4 ms and some KB: of 560 files of ours and 950 of these packages it took half of the time.
 * Names of functions stay, and comments name the source files, so that stack traces can be read.
 * @param {{ source?: string, target?: string }} folders
 */
export async function buildProgram({ source = join(root, 'src'), target = join(root, 'dist') } = {}) {
  // `dist/web` is built separately.
  const old = existsSync(target) ? readdirSync(target).filter((name) => name !== 'web') : []
  for (const name of old) rmSync(join(target, name), { recursive: true })
  /** @type {import('esbuild').BuildOptions} */
  const options = {
    write: false,
    outdir: target,
    bundle: true,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    sourcemap: true,
    logLevel: 'warning',
  }
  // An old Node.js only reads this file, to report that it is too old.
  await build({ ...options, entryPoints: [join(source, 'main.ts')], plugins: [{ name: 'alone', setup: keepProgramApart }] })
  // Runs in a process of its own, beside each process of the server.
  await build({ ...options, entryPoints: [join(source, 'git/process/fork-server.ts')] })
  await build({
    ...options,
    // Each kind of process of the sandbox has a file of its own. Dynamic imports stay in separate files.
    entryPoints: {
      cli: join(source, 'cli.ts'),
      worker: join(source, 'features/instance/markdown/worker.ts'),
      'ci-worker': join(source, 'features/ci/planner/worker.ts'),
      'mail-worker': join(source, 'mail/incoming/worker.ts'),
    },
    splitting: true,
    sourcesContent: false,
    nodePaths: [join(root, 'node_modules')],
    plugins: [{ name: 'packages', setup: keepPackagesApart }],
  })
}

/** @param {import('esbuild').BuildOptions} options */
async function build(options) {
  const { outputFiles = [] } = await bundle(options)
  for (const { path, text } of outputFiles) {
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, path.endsWith('.js') ? escaped(text, path) : text)
  }
}

/**
 * A single character beyond Latin-1 makes V8 keep the whole file at two bytes per character, which costs 2 MB. esbuild escapes such
 * characters in strings, but not in templates and regular expressions, which mean the same with them escaped.
 * @param {string} text
 * @param {string} path
 */
function escaped(text, path) {
  return text.replace(/(\\*)([\x80-\uffff])/g, (_, before, sign) => {
    if (before.length % 2 === 1) throw new Error(`${path}: a backslash before ${sign}, which can't be escaped`)
    return `${before}\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`
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
