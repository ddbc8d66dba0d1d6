/** The types of files that jobs upload, as agents name them. */

/** `archive` is for other jobs and users; all others are reports. */
export const fileTypes = [
  ...(['archive', 'metadata', 'junit', 'dotenv', 'cobertura', 'jacoco', 'codequality', 'sast', 'dependency_scanning'] as const),
  ...(['container_scanning', 'cluster_image_scanning', 'dast', 'license_scanning', 'license_management', 'performance'] as const),
  ...(['browser_performance', 'load_performance', 'metrics', 'metrics_referee', 'network_referee', 'lsif', 'terraform'] as const),
  ...(['requirements', 'requirements_v2', 'coverage_fuzzing', 'api_fuzzing', 'secret_detection', 'accessibility'] as const),
  ...(['cluster_applications', 'cyclonedx', 'annotations', 'repository_xray', 'sarif'] as const),
] as const
export type FileType = (typeof fileTypes)[number]

export const fileFormats = ['zip', 'gzip', 'raw'] as const

/** The file name if the agent sends none. */
export function usualName(type: FileType, format: (typeof fileFormats)[number]): string {
  if (type === 'archive') return 'artifacts.zip'
  if (type === 'metadata') return 'metadata.gz'
  return `${type}.${format === 'gzip' ? 'gz' : format === 'zip' ? 'zip' : 'txt'}`
}

export const maxDotenv_bytes = 5 * 1024
const maxVariables = 150

/** Parses a `dotenv` report: lines `KEY=value` with literal values; empty lines and comments are ignored. Returns an error as a string. */
export function parseDotenv(text: string): { key: string; value: string }[] | string {
  const found = new Map<string, string>()
  for (const line of text.split(/\r?\n/)) {
    if (line.trim() === '' || line.startsWith('#')) continue
    const [, key, value = ''] = /^(?:export )?\s*([A-Za-z_][A-Za-z0-9_]*)=(.*)$/.exec(line) ?? []
    if (key === undefined) return 'Invalid Format'
    found.set(key, unquoted(value.trim()))
    if (found.size > maxVariables) return `Dotenv files cannot have more than ${maxVariables} variables`
  }
  return [...found].map(([key, value]) => ({ key, value }))
}

function unquoted(value: string): string {
  return /^(["']).*\1$/.test(value) && value.length > 1 ? value.slice(1, -1) : value
}
