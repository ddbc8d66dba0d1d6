/** A build of the program whose registry is three times as long: what start and memory will be when there are as many features. */
import { appendFileSync, cpSync, mkdirSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { buildProgram } from '../tools/build-program.mjs'
import { root } from './processes.ts'

const prefixes = ['second', 'third']

/** Every module of the features is in it three times, with schemas of its own. Gives the folder, in which `npm start` works. */
export async function buildThreefold(folder: string): Promise<string> {
  const copy = join(folder, 'threefold')
  mkdirSync(copy)
  for (const name of ['src', 'tools', 'package.json', 'package-lock.json']) cpSync(join(root, name), join(copy, name), { recursive: true })
  symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'))
  for (const prefix of prefixes) cpSync(join(root, 'src', 'features'), join(copy, 'src', `features-${prefix}`), { recursive: true })
  appendFileSync(join(copy, 'src', 'features', 'index.ts'), prefixes.map(underPrefix).join(''))
  await buildProgram({ source: join(copy, 'src'), target: join(copy, 'dist') })
  cpSync(join(root, 'dist', 'web'), join(copy, 'dist', 'web'), { recursive: true })
  // As `ensureBuilt` of tools/prepare.mjs marks it.
  appendFileSync(join(copy, 'dist', '.gitstead-built'), '')
  return copy
}

function underPrefix(prefix: string): string {
  return `
import { endpoints as ${prefix} } from '../features-${prefix}/index.ts'
endpoints.push(...${prefix}.map((endpoint) => ({
  ...endpoint,
  path: '/${prefix}' + endpoint.path,
  alias: endpoint.alias && '/${prefix}' + endpoint.alias,
})))
`
}
