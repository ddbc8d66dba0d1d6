/** The import law: what each room of src/ may import, and that there are no cycles. Run by `npm run check`; covered by a test. */
import { readFileSync } from 'node:fs'
import { dirname, join, posix } from 'node:path'
import { filesIn, isSource } from './files.mjs'
import { circles } from './import-circles.mjs'

/** Each room may import these rooms and top-level files besides itself. Top-level files may import anything. */
const rooms = {
  access: ['db', 'limits/network.ts', 'program/secrets.ts', 'failure.ts'],
  addresses: ['config.ts', 'git/refs/names.ts'],
  admin: ['db', 'git', 'program', 'queue', 'store', 'app.ts', 'config.ts', 'failure.ts'],
  backup: ['db', 'git', 'store', 'app.ts', 'config.ts', 'durable.ts', 'failure.ts', 'version.ts'],
  ci: ['text/trailing.ts', 'failure.ts'],
  db: ['failure.ts', 'limits/read-meter.ts'],
  'domain-events': ['access', 'db', 'git', 'queue'],
  features: [
    'access',
    'addresses',
    'ci',
    'db',
    'domain-events',
    'git',
    'html/phrases.ts',
    'html/untranslated.ts',
    'http',
    'limits',
    'mail',
    'outgoing',
    'program',
    'queue',
    'sandbox',
    'store',
    'text',
    'app.ts',
    'background.ts',
    'config.ts',
    'durable.ts',
    'failure.ts',
    'validation.ts',
    'version.ts',
  ],
  git: ['program', 'durable.ts', 'failure.ts', 'limits/read-meter.ts'],
  html: ['text'],
  http: [
    'access',
    'db',
    'domain-events',
    'git',
    'limits',
    'logging',
    'store',
    'text/json-scan.ts',
    'text/trailing.ts',
    'app.ts',
    'failure.ts',
  ],
  limits: ['config.values.ts', 'failure.ts'],
  logging: ['processes'],
  mail: ['sandbox', 'text', 'config.values.ts', 'failure.ts'],
  outgoing: ['text', 'config.values.ts', 'failure.ts'],
  pages: [
    'access',
    'addresses',
    'admin',
    'db',
    'features',
    'git',
    'html',
    'http',
    'program',
    'text',
    'app.ts',
    'failure.ts',
    'limits/within.ts',
    'validation.ts',
    'version.ts',
  ],
  processes: ['limits', 'failure.ts'],
  program: ['db', 'config.ts', 'durable.ts', 'failure.ts'],
  queue: ['db', 'program', 'app.ts', 'background.ts', 'failure.ts'],
  runner: ['text', 'ci/text/glob.ts', 'durable.ts', 'failure.ts', 'version.ts'],
  sandbox: ['limits', 'program'],
  store: ['durable.ts', 'config.values.ts', 'failure.ts'],
  text: [],
  transport: [
    'access',
    'addresses',
    'db',
    'features',
    'git',
    'http',
    'limits',
    'app.ts',
    'background.ts',
    'config.ts',
    'durable.ts',
    'failure.ts',
    'version.ts',
  ],
}
/** The order of the wings of these rooms: each may import those before it. Add new wings here. */
const wings = {
  features: [
    'instance',
    'storage',
    'namespaces',
    'people',
    'spaces',
    'repository',
    'planning',
    'ci',
    'review',
    'snippets',
    'discussion',
    'documents',
    'commands',
    'search',
    'transfer',
    'integrations',
    'notifications',
  ],
  pages: [
    'frame',
    'activity',
    'members',
    'project',
    'group',
    'tokens',
    'feeds',
    'planning',
    'repository',
    'review',
    'spaces',
    'people',
    'instance',
    'integrations',
    'ci',
    'documents',
    'search',
  ],
}
/** Wings that are one feature, without folders of their own. */
const wingsOfOneFeature = ['namespaces', 'snippets']
/** Services open transactions: pages and endpoints only import types from the database. */
const opensNoTransaction = /^pages\/|\.endpoints\.ts$/
const importOfDatabase = /^import (type )?\{([^}]*)\} from '[./]*db\/database\.ts'/gm
/** Within features, only queries hold SQL. */
const holdsNoSql = /^features\/.*(?<!\.queries)\.ts$/
const sqlBuilder = /\.(?:selectFrom|insertInto|updateTable|deleteFrom|mergeInto)\(|^import (?!type )\{[^}]*\bsql\b[^}]*\} from 'kysely'/m
/** The dialects. Elsewhere, code asks what an engine can do (`db/engine/capabilities.ts`), not which one it is. */
const dialects = ['db/sqlite.ts', 'db/postgres.ts']
const nameOfDialect = /\b(?:Sqlite|Postgres|Mysql|Mssql)(?:Adapter|Dialect)\b/
/** Rooms that may import these packages and no others. */
const packages = {
  ci: ['htmlparser2', 're2js', 'yaml'],
  git: ['chardet', 'esbuild', 'iconv-lite', 'lru-cache'],
  mail: ['htmlparser2', 'imapflow', 'mailparser', 'nodemailer'],
  runner: ['commander', 'yauzl', 'yazl'],
}
const readersOfTables = ['server.ts', 'cli.ts', 'features/index.ts', 'features/subscribers.ts']
/** Each of these tables may import only these files from features: `index.ts` features, the others jobs and subscribers. */
const inTables = /\.(feature|endpoints|jobs|subscribers)\.ts$/
const inTable = {
  'features/index.ts': /\.feature\.ts$/,
  'features/subscribers.ts': /\.(jobs|subscribers)\.ts$/,
  'features/account-subscribers.ts': /\.(jobs|subscribers)\.ts$/,
  'features/mail-subscribers.ts': /\.subscribers\.ts$/,
  'features/ci-subscribers.ts': /\.(jobs|subscribers)\.ts$/,
  'features/merge-train-subscribers.ts': /\.(jobs|subscribers)\.ts$/,
}
/** The list of features and the tables of subscribers are only for the modules that assemble the process. */
const tables = Object.keys(inTable)

const specifier = /(?:^|[\s;])(?:import|export)\s[^'"`;]*?from\s*'([^']+)'|(?:^|[^\w.])import\(\s*'([^']+)'|^import\s+'([^']+)'/gm

/** Every file and folder under `src` that the law mentions. */
export function namedInLaw() {
  const ofWings = Object.entries(wings).flatMap(([room, names]) => names.map((name) => `${room}/${name}`))
  const oneFeature = wingsOfOneFeature.map((name) => `features/${name}`)
  return [
    ...Object.keys(rooms),
    ...Object.values(rooms).flat(),
    ...ofWings,
    ...oneFeature,
    ...Object.keys(packages),
    ...tables,
    ...readersOfTables,
  ]
}

/** The source files under `src`, without tests: each with its imports, as paths under `src` or names of packages. */
export function readImports(src) {
  return new Map(filesIn(src, isSource).map((file) => [file, importsOf(file, readFileSync(join(src, file), 'utf8'))]))
}

/**
 * The imports of a file, as paths with the same root as its own, or names of packages.
 * @param {string} file
 * @param {string} text
 */
export function importsOf(file, text) {
  const found = [...text.matchAll(specifier)].map((match) => match[1] ?? match[2] ?? match[3])
  return [...new Set(found.map((name) => (name.startsWith('.') ? posix.normalize(posix.join(posix.dirname(file), name)) : name)))]
}

/** One line for each import that the law forbids. */
export function refusedImports(imports) {
  return [...imports].flatMap(([file, names]) =>
    names.filter((name) => !isAllowed(file, name)).map((name) => `src/${file} may not import ${name}`),
  )
}

const roomOf = (file) => (file.includes('/') ? file.slice(0, file.indexOf('/')) : file)

function isAllowed(file, imported) {
  const room = roomOf(file)
  if (imported.startsWith('node:')) return true
  if (!imported.endsWith('.ts')) return packages[room]?.includes(imported) ?? true
  if (tables.includes(imported)) return readersOfTables.includes(file)
  if (inTable[file]?.test(imported)) return true
  if (imported.startsWith('features/') && dirname(imported) !== dirname(file) && !isPublic(imported)) return false
  if (!file.includes('/')) return true
  if (room === roomOf(imported)) return isDownward(room, wingOf(file), wingOf(imported))
  return rooms[room]?.some((known) => known === imported || known === roomOf(imported)) ?? false
}

/** The folder of a room that contains the file; null for a top-level file. */
function wingOf(file) {
  const [, wing, ...below] = file.split('/')
  return below.length === 0 ? null : wing
}

function isDownward(room, from, to) {
  const order = wings[room]
  if (!order || from === null || to === null || from === to) return true
  return order.includes(from) && order.includes(to) && order.indexOf(from) > order.indexOf(to)
}

/**
 * Whether a file may be imported from outside its feature: the file named after it and schemas may, and everything but endpoints in a
 * feature of one file.
 */
function isPublic(file) {
  const parts = file.split('/')
  const [feature, name] = parts.slice(wingsOfOneFeature.includes(parts[1]) ? 1 : 2)
  return name === undefined ? !inTables.test(file) : name === `${feature}.ts` || name.endsWith('.schema.ts')
}

/** A line for each page and endpoint that could open a transaction. */
function transactions(src, imports) {
  const takesValues = ([, isType, names]) => !isType && names.split(',').some((name) => !/^\s*(type .*)?$/.test(name))
  const opening = [...imports.keys()].filter(
    (file) => opensNoTransaction.test(file) && [...readFileSync(join(src, file), 'utf8').matchAll(importOfDatabase)].some(takesValues),
  )
  return opening.map((file) => `src/${file} may import types alone from db/database.ts: services open the transactions`)
}

/** A line for each file of a feature that holds SQL without being named so. */
function statements(src, imports) {
  const holding = [...imports.keys()].filter((file) => holdsNoSql.test(file) && sqlBuilder.test(readFileSync(join(src, file), 'utf8')))
  return holding.map((file) => `src/${file} may hold no SQL: queries (*.queries.ts) do`)
}

/** A line for each file that distinguishes engines by their classes. */
function engines(src, imports) {
  const naming = [...imports.keys()].filter((file) => !dialects.includes(file) && nameOfDialect.test(readFileSync(join(src, file), 'utf8')))
  return naming.map((file) => `src/${file} may not name an engine: db/engine/capabilities.ts says what it can do`)
}

/** All violations in `src`, one per line. */
export function violations(src) {
  const imports = readImports(src)
  const refused = [
    ...refusedImports(imports),
    ...transactions(src, imports),
    ...statements(src, imports),
    ...engines(src, imports),
    ...circles(imports).map((circle) => `a circle of imports: ${circle.join(', ')}`),
  ]
  return [...new Set(refused)]
}
