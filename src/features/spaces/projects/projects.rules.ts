/** Rules for the fields of a project, regardless of where they come from. */
import { isRegex } from '../../../ci/text/regex.ts'
import { isRefName } from '../../../git/refs/names.ts'
import { assertValid, blankError, lengthError } from '../../../validation.ts'
import { pathError } from '../../namespaces/namespaces.ts'
import { topicError } from '../topics/topics.ts'
import { type NewProject, sentTopics } from './projects.columns.ts'

const longestName = 255
const longestDescription = 2_000
const longestTemplate = 500
const joiner = '\u200d'
const nameStart = '[\\p{L}\\p{N}\\p{Extended_Pictographic}_]'
const nameFormat = new RegExp(`^${nameStart}(?:${nameStart}|[\\p{M}\\p{Pd}. ]|${joiner})*$`, 'u')

/** Throws 400 with the errors of each field; `openness` is the error of the visibility. */
export function assertWellFormed(
  namespace: { full_path: string },
  input: Omit<NewProject, 'avatar'> & { name: string; path: string },
  openness: string | null,
): void {
  const { path, name, description, ci_config_path, default_branch } = input
  assertValid({
    path: pathError(path, 'project', namespace.full_path),
    name: nameError(name),
    description: lengthError(description ?? '', longestDescription),
    default_branch: default_branch === undefined || isRefName(default_branch) ? null : 'is not a name that git takes for a branch',
    ci_config_path: configPathError(ci_config_path ?? ''),
    build_timeout: timeoutError(input.build_timeout ?? shortestTimeout_s),
    build_coverage_regex: lengthError(input.build_coverage_regex ?? '', longestName) ?? expressionError(input.build_coverage_regex ?? ''),
    ci_default_git_depth: depthError(input.ci_default_git_depth ?? 0),
    max_pipelines_per_merge_train: rangeError(input.max_pipelines_per_merge_train ?? 1, 20),
    merge_train_batch_size: rangeError(input.merge_train_batch_size ?? 1, 32),
    merge_commit_template: lengthError(input.merge_commit_template ?? '', longestTemplate),
    squash_commit_template: lengthError(input.squash_commit_template ?? '', longestTemplate),
    suggestion_commit_message: lengthError(input.suggestion_commit_message ?? '', 255),
    [input.topics === undefined ? 'tag_list' : 'topics']: topicsError(sentTopics(input) ?? []),
    visibility_level: openness,
  })
}

function nameError(name: string): string | null {
  const wrongFormat = "can contain only letters, digits, emojis, '_', '.', dash, space. It must start with letter, digit, emoji or '_'."
  return blankError(name) ?? lengthError(name, longestName) ?? (nameFormat.test(name) ? null : wrongFormat)
}

function configPathError(path: string): string | null {
  if (path.startsWith('/') || path.includes('..')) return 'cannot include leading slash or directory traversal.'
  return lengthError(path, longestName)
}

const shortestTimeout_s = 600
const longestTimeout_s = 2_592_000

function timeoutError(seconds: number): string | null {
  if (seconds < shortestTimeout_s) return 'needs to be between 10 minutes and 1 month'
  return seconds > longestTimeout_s ? 'needs to be between 10 minutes and 1 month' : null
}

function rangeError(value: number, most: number): string | null {
  return value >= 1 && value <= most ? null : `must be between 1 and ${most}`
}

function depthError(commits: number): string | null {
  if (commits < 0) return 'must be greater than or equal to 0'
  return commits > 1_000 ? 'must be less than or equal to 1000' : null
}

function expressionError(expression: string): string | null {
  return expression === '' || isRegex(expression) ? null : 'is not a valid regular expression'
}

function topicsError(names: string[]): string | null {
  return names.map(topicError).find((fieldError) => fieldError !== null) ?? null
}
