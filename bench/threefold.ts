/** A copy of the built program whose registry is three times as long: what start and memory will be when there are as many features. */
import { appendFileSync, cpSync, mkdirSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { root } from './processes.ts'

const prefixes = ['second', 'third']

/** Every module of the features is there three times, with schemas of its own. Gives the folder of the copy. */
export function makeThreefold(folder: string): string {
  const copy = join(folder, 'threefold')
  // Nothing to build from: it is built.
  mkdirSync(join(copy, 'src'), { recursive: true })
  for (const name of ['dist', 'tools', 'package.json', 'package-lock.json']) cpSync(join(root, name), join(copy, name), { recursive: true })
  symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'))
  for (const prefix of prefixes) cpSync(join(root, 'dist', 'features'), join(copy, 'dist', `features-${prefix}`), { recursive: true })
  appendFileSync(join(copy, 'dist', 'features', 'index.js'), prefixes.map(underPrefix).join(''))
  return copy
}

function underPrefix(prefix: string): string {
  return `
import { endpoints as ${prefix} } from '../features-${prefix}/index.js'
endpoints.push(...${prefix}.map((endpoint) => ({
  ...endpoint,
  path: '/${prefix}' + endpoint.path,
  alias: endpoint.alias && '/${prefix}' + endpoint.alias,
})))
`
}
