/** `artifacts` with its reports. */
import type { JobArtifacts } from '../plan.ts'
import { parseDuration } from '../text/durations.ts'
import { isMap, isText, type Yaml, type YamlMap } from '../yaml/values.ts'
import {
  aBoolean,
  aString,
  attribute,
  type Check,
  eitherOf,
  type Location,
  mapOf,
  oneOf,
  part,
  refuse,
  stringOrStrings,
  strings,
} from './location.ts'

const keys = ['name', 'untracked', 'paths', 'exclude', 'reports', 'when', 'expire_in', 'expose_as', 'public', 'access']
export const savedWhen = ['on_success', 'on_failure', 'always'] as const

/** Reports that a runner may upload. Those that aren't evaluated yet are stored as artifacts. */
const reportTypes = [
  'junit',
  'dotenv',
  'coverage_report',
  'codequality',
  'sast',
  'secret_detection',
  'dependency_scanning',
  'container_scanning',
  'dast',
  'license_scanning',
  'performance',
  'browser_performance',
  'load_performance',
  'metrics',
  'network_referee',
  'requirements',
  'requirements_v2',
  'terraform',
  'accessibility',
  'cluster_applications',
  'cluster_image_scanning',
  'coverage_fuzzing',
  'api_fuzzing',
  'cyclonedx',
  'annotations',
  'repository_xray',
  'cobertura',
  'lsif',
  'scip',
]

/** A duration, or `never`. */
export const aDuration: Check<string> = {
  accept: (value) => (isText(value) && (value === 'never' || parseDuration(value) !== null) ? value : undefined),
  words: 'should be a duration',
}

export function readArtifacts(value: Yaml, where: Location): JobArtifacts | null {
  const map = mapOf(value, where, keys)
  if (!map) return null
  const expire_in = attribute(where, map, 'expire_in', aDuration)
  const reports = part(where, map, 'reports', readReports)
  const exposed = attribute(where, map, 'expose_as', aString)
  if (exposed !== null && !map.has('paths')) refuse(where, "paths can't be blank")
  return {
    name: attribute(where, map, 'name', aString),
    untracked: attribute(where, map, 'untracked', aBoolean) ?? false,
    paths: attribute(where, map, 'paths', strings) ?? [],
    exclude: attribute(where, map, 'exclude', strings) ?? [],
    when: attribute(where, map, 'when', oneOf(savedWhen, `should be ${eitherOf(savedWhen)}`)) ?? 'on_success',
    expire_in,
    expire_in_s: expire_in === null || expire_in === 'never' ? null : parseDuration(expire_in),
    expose_as: exposed,
    public: isPublic(map, where),
    reports: reports?.paths ?? {},
    coverage_format: reports?.coverage_format ?? null,
  }
}

/** `access` is the newer keyword for it. */
function isPublic(map: YamlMap, where: Location): boolean {
  const access = attribute(
    where,
    map,
    'access',
    oneOf(['none', 'developer', 'maintainer', 'all'], 'should be none, developer, maintainer or all'),
  )
  return attribute(where, map, 'public', aBoolean) ?? (access === null || access === 'all')
}

function readReports(value: Yaml, where: Location): { paths: Record<string, string[]>; coverage_format: string | null } {
  const paths: Record<string, string[]> = {}
  let coverage_format: string | null = null
  const map = mapOf(value, where, reportTypes)
  for (const type of map?.keys() ?? []) {
    if (!map) break
    const coverage = type === 'coverage_report' ? part(where, map, type, readCoverageReport) : null
    const found = type === 'coverage_report' ? coverage?.paths : attribute(where, map, type, stringOrStrings)
    if (found) paths[type] = found
    coverage_format = coverage?.format ?? coverage_format
  }
  return { paths, coverage_format }
}

function readCoverageReport(value: Yaml, where: Location): { format: string; paths: string[] } | null {
  if (!isMap(value)) {
    refuse(where, 'config should be a hash')
    return null
  }
  const format = attribute(
    where,
    value,
    'coverage_format',
    oneOf(['cobertura', 'jacoco'], 'must be one of supported formats: cobertura, jacoco'),
  )
  const path = attribute(where, value, 'path', aString)
  if (!value.has('coverage_format')) refuse(where, "coverage format can't be blank")
  if (!value.has('path')) refuse(where, "path can't be blank")
  return format !== null && path !== null ? { format, paths: [path] } : null
}
