/** The variables of a job: the runner's own, the server's, and references between them. */
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { runnerInfo } from '../protocol/info.ts'
import type { JobPayload, JobVariable } from '../protocol/payload.ts'
import type { Exported } from '../shell/script.ts'
import type { JobFolders } from './folders.ts'

export interface Variables {
  /** What scripts see, later ones over earlier ones; a file's variable is its path. */
  exported: Exported[]
  /** The value, of a file its content; an empty string if there is none. */
  get(key: string): string
  /** References in a text that is no variable, such as the key of a cache. */
  expand(text: string): string
  isTrue(key: string): boolean
}

/** @param status of the job, for what runs after its script */
export async function openVariables(
  job: JobPayload,
  folders: JobFolders,
  { slot, project_slot }: { slot: number; project_slot: number },
): Promise<Variables> {
  const all = expandAll([...defaults(job, folders, { slot, project_slot }), ...job.variables, ...ownVariables(folders)], folders)
  const files = all.filter(({ file, key }) => file && isName(key))
  for (const { key, value } of files) await writeFile(fileOf(folders, key), value, { mode: 0o600 })
  const values = new Map(all.map((variable) => [variable.key, variable]))
  const get = (key: string) => values.get(key)?.value ?? ''
  return {
    exported: all.map(({ key, value, file }) => ({ key, value: file ? fileOf(folders, key) : value })),
    get,
    expand: (text) => expandReferences(text, (key) => referenced(values.get(key), folders)),
    isTrue: (key) => /^(1|t|true)$/i.test(get(key)),
  }
}

const isName = (key: string) => /^[A-Za-z_][A-Za-z0-9_]*$/.test(key)
const fileOf = ({ temporary }: JobFolders, key: string) => join(temporary, key)

function referenced(variable: JobVariable | undefined, folders: JobFolders): string {
  if (variable === undefined) return ''
  return variable.file ? fileOf(folders, variable.key) : variable.value
}

/** References are to values as they were given: one in a value that is referred to stays as it is. */
function expandAll(variables: JobVariable[], folders: JobFolders): JobVariable[] {
  const given = new Map(variables.map((variable) => [variable.key, variable]))
  const look = (key: string) => referenced(given.get(key), folders)
  return variables.map((variable) => (variable.raw ? variable : { ...variable, value: expandReferences(variable.value, look) }))
}

function plain(key: string, value: string): JobVariable {
  return { key, value, file: false, masked: false, raw: true }
}

/** What the server may overrule. */
function defaults(
  job: JobPayload,
  { top, project }: JobFolders,
  { slot, project_slot }: { slot: number; project_slot: number },
): JobVariable[] {
  return [
    ...(job.image === null ? [] : [plain('CI_JOB_IMAGE', job.image)]),
    plain('CI_BUILDS_DIR', top),
    plain('CI_PROJECT_DIR', project),
    plain('CI_CONCURRENT_ID', String(slot)),
    plain('CI_CONCURRENT_PROJECT_ID', String(project_slot)),
    plain('CI_SERVER', 'yes'),
    plain('CI_JOB_STATUS', 'running'),
    plain('CI_JOB_TIMEOUT', String(job.timeout_s)),
  ]
}

function ownVariables({ temporary }: JobFolders): JobVariable[] {
  return [
    plain('CI_SHARED_ENVIRONMENT', 'true'),
    plain('CI_RUNNER_VERSION', runnerInfo.version),
    plain('CI_RUNNER_REVISION', runnerInfo.revision),
    plain('CI_RUNNER_EXECUTABLE_ARCH', `${runnerInfo.platform}/${runnerInfo.architecture}`),
    plain('RUNNER_TEMP_PROJECT_DIR', temporary),
  ]
}

/** `$NAME`, `${NAME}`, and `$$` for a dollar; one pass, so that values can't bring references of their own. */
export function expandReferences(text: string, look: (key: string) => string): string {
  return text.replace(/\$(?:([A-Za-z0-9_]+)|\{([^}]*)\}|([$*#@!?-]))/g, (_all, name?: string, braced?: string, special?: string) => {
    const key = name ?? braced ?? special ?? ''
    if (key === '$') return '$'
    // Positional and special parameters of a shell mean nothing here; a name that begins with a digit is its first digit.
    if (/^[*#@!?-]?$/.test(key)) return ''
    if (/^\d/.test(key)) return name === undefined ? '' : key.slice(1)
    return look(key)
  })
}
