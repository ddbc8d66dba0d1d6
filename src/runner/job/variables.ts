/** The variables of a job: those of the runner, those of the server, and references between them. */
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { runnerInfo } from '../protocol/info.ts'
import type { JobPayload, JobVariable } from '../protocol/payload.ts'
import type { Exported } from '../shell/script.ts'
import type { JobFolders } from './folders.ts'

export interface Variables {
  /** The variables for scripts; later ones override earlier ones. The value of a file variable is its path. */
  exported: Exported[]
  /** The value, for a file its content; an empty string if there is none. */
  get(key: string): string
  /** Expands references in another text, such as the key of a cache. */
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

/** References are to the original values: a reference inside a referenced value is not expanded. */
function expandAll(variables: JobVariable[], folders: JobFolders): JobVariable[] {
  const given = new Map(variables.map((variable) => [variable.key, variable]))
  const look = (key: string) => referenced(given.get(key), folders)
  return variables.map((variable) => (variable.raw ? variable : { ...variable, value: expandReferences(variable.value, look) }))
}

function plain(key: string, value: string): JobVariable {
  return { key, value, file: false, masked: false, raw: true }
}

/** Variables that the server may override. */
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

/** Expands `$NAME`, `${NAME}`, and `$$` to a dollar sign; in one pass, so that values can't introduce references. */
export function expandReferences(text: string, look: (key: string) => string): string {
  return text.replace(/\$(?:([A-Za-z0-9_]+)|\{([^}]*)\}|([$*#@!?-]))/g, (_all, name?: string, braced?: string, special?: string) => {
    const key = name ?? braced ?? special ?? ''
    if (key === '$') return '$'
    // Positional and special shell parameters are empty here; a name that begins with a digit is only that digit.
    if (/^[*#@!?-]?$/.test(key)) return ''
    if (/^\d/.test(key)) return name === undefined ? '' : key.slice(1)
    return look(key)
  })
}
