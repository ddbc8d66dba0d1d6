/** Versions of merge requests, and the files they change, as JSON. */
import type { Static } from 'typebox'
import type { MergeRequestVersion as Row } from '../../../db/tables.ts'
import type { FileDiff } from '../../../git/diff/diff-reader.ts'
import type { MergeRequestDiff, MergeRequestVersion, MergeRequestVersionDetail } from './versions.schema.ts'

export function presentVersion(version: Row): Static<typeof MergeRequestVersion> {
  return {
    id: version.id,
    head_commit_sha: version.head_oid,
    base_commit_sha: version.base_oid,
    start_commit_sha: version.start_oid,
    created_at: version.created_at,
    merge_request_id: version.merge_request_id,
    state: version.state,
    real_size: version.real_size,
    patch_id_sha: version.patch_id || null,
  }
}

type Detail = Static<typeof MergeRequestVersionDetail>

export function presentVersionDetail(version: Row, commits: Detail['commits'], diffs: Detail['diffs']): Detail {
  return Object.assign(presentVersion(version), { commits, diffs })
}

/** @param unidiff includes the lines that name both files, as in patches */
export function presentFile(file: FileDiff, unidiff: boolean): Static<typeof MergeRequestDiff> {
  return {
    old_path: file.old_path,
    new_path: file.new_path,
    a_mode: file.old_mode,
    b_mode: file.new_mode,
    new_file: file.new_file,
    renamed_file: file.renamed_file,
    deleted_file: file.deleted_file,
    diff: unidiff && file.patch.startsWith('@@') ? `${namesOf(file)}${file.patch}` : file.patch,
    too_large: file.too_large,
    collapsed: file.collapsed,
    generated_file: isGenerated(file.new_path),
  }
}

function namesOf({ old_path, new_path, new_file, deleted_file }: FileDiff): string {
  return `--- ${new_file ? '/dev/null' : `a/${old_path}`}\n+++ ${deleted_file ? '/dev/null' : `b/${new_path}`}\n`
}

const generated = [
  /(^|\/)(package-lock\.json|npm-shrinkwrap\.json|pnpm-lock\.yaml|composer\.lock|Cargo\.lock|Gopkg\.lock|glide\.lock|poetry\.lock)$/,
  /(^|\/)(__generated__|node_modules|Godeps)\//,
  /[.-]min\.(js|css)$|\.(js|css)\.map$/,
  /(\.pb\.(go|cc|h)|_pb2(_grpc)?\.py|\.designer\.(cs|vb)|\.generated\.[a-z]+)$/i,
]

/** Whether files with such a name are generated. */
function isGenerated(path: string): boolean {
  return generated.some((pattern) => pattern.test(path))
}
