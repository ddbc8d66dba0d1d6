/** Messages of the pages of files. */

import { grouped } from '../../../html/numbers-and-dates.ts'
import { size } from '../../../html/phrases.ts'
import { t, translated } from '../../../html/sentences.ts'

export const sentences = translated({
  empty_folder: 'This folder is empty.',
  not_text: 'The file is not text.',
  empty_file: 'The file is empty.',
  too_large_to_show: (bytes: number) => t`The file has ${size(bytes)}: too large to be shown here.`,
  lines_left_out: (shown: number, all: number) => t`Only the first ${grouped(shown)} of ${grouped(all)} lines are shown.`,
  misleading:
    'This file has characters that can’t be seen or that change the direction of text: code may run other than ' +
    'it reads. They are marked by their numbers.',
  symlink: 'This is a symbolic link to',
  submodule: 'A submodule: another repository, at this commit.',
  large_file: (bytes: number) => t`Stored with Git LFS, ${size(bytes)}.`,
  large_file_missing: 'The content of this file is not here yet: its owner has pushed only the pointer.',
  large_file_shown_raw: 'Download it to see its content.',
  missing: (name: string, revision: string) => t`${name} isn’t on ${revision}.`,
  nothing_found: (query: string) => t`No path contains “${query}”.`,
  find_hint: 'Letters of the path in their order: “pafi” finds pages/files.ts.',
  too_many_files: 'Only the first 1,000 are listed. Search to see others.',
  no_blame: 'Nobody has written a line yet.',
  blame_of_binary: 'Only text has a blame.',
  no_such_ref: (name: string) => t`No branch, tag or commit is called “${name}”.`,
  new_branch_hint: (branch: string) => t`A name other than ${branch} creates a new branch from it.`,
  new_branch_only: (branch: string) => t`You may not push to ${branch}: the change goes to a new branch.`,
  new_branch_from_commit: 'This is no branch: the change goes to a new one.',
  open_branch: 'An open merge request lets you push to this branch, and to no other.',
  fork_first: 'You can’t push here. Change the file in a fork, and propose the change from there.',
  read_only: 'You can’t push here.',
  archived: 'This project is archived: its files can’t be changed.',
  not_editable:
    'Only text in UTF-8 of up to 256 KB can be edited here: a form would change the bytes of anything else. ' +
    'Change it in a clone, or upload it again.',
  has_changed:
    'Somebody has changed this file since you opened it. Your text is kept below. Compare it with theirs: saving replaces their version.',
  is_gone: 'Somebody has deleted or moved this file since you opened it. Your text is kept below.',
  deleted: (name: string, branch: string) => t`Deleted ${name} on ${branch}.`,
  saved: (name: string, branch: string) => t`Saved ${name} on ${branch}.`,
  created: (name: string, branch: string) => t`Created ${name} on ${branch}.`,
  delete_warning: 'This removes the file from the branch by a new commit. Older commits keep it.',
  folder_hint: 'Git keeps no empty folders: a file .gitkeep is put into it.',
  choose_file: 'Choose a file to upload.',
} as const)
