/** Messages for faulty lines of a CODEOWNERS file. */
import type { OwnerFault } from './parse.ts'

export const ownerFaultWords: Record<OwnerFault, string> = {
  missing_section_name: 'The section has no name.',
  invalid_section_format: 'The section has no end: ] is missing.',
  invalid_approval_requirement: 'The number of approvals must be from 1 to 999.',
  malformed_entry_owner: 'An owner must be @user, @group, @@role or an address; others are ignored.',
  missing_entry_owner: 'Nobody owns what the line names.',
  file_too_large: 'The file is larger than 1 MB: nothing in it counts.',
}
