/** Validates the fields of a user. */
import { maxPassword_chars } from '../../../access/passwords/passwords.ts'
import { badParameter } from '../../../failure.ts'
import { assertValid, blankError, lengthError } from '../../../validation.ts'
import { pathError } from '../../namespaces/namespaces.ts'

/** The fields with rules of their own; those that aren't given are not checked. */
export interface UserFields {
  username?: string | undefined
  email?: string | undefined
  name?: string | undefined
  bio?: string | null | undefined
  password?: string | undefined
  projects_limit?: number | undefined
}

const longestText = 255
const password_chars = { min: 8, max: maxPassword_chars }
const maxProjects = 2_147_483_647

/** Throws 400 with the errors by field. */
export function assertWellFormed({ username, email, password, name, bio, projects_limit }: UserFields): void {
  assertValid({
    username: username === undefined ? null : pathError(username, 'namespace', null),
    email: email === undefined ? null : emailError(email),
    name: name === undefined ? null : nameError(name),
    bio: lengthError(bio ?? undefined, longestText),
    password: password === undefined ? null : passwordError(password),
    projects_limit: projects_limit === undefined ? null : limitError(projects_limit),
  })
}

/** An identity needs a name and a provider. Throws 400 if one is missing. */
export function assertWholeIdentity({ extern_uid, provider }: { extern_uid?: string | undefined; provider?: string | undefined }): void {
  if (Boolean(extern_uid) !== Boolean(provider)) throw badParameter('extern_uid, provider provide all or none of parameters')
}

/** An email address as it is stored: in lower case, without surrounding spaces. */
export function readEmail(sent: string): string {
  return sent.trim().toLowerCase()
}

/** Normalizes the public email address, if one is given. */
export function withPublicEmail<T extends { public_email?: string | undefined }>(fields: T): T {
  return fields.public_email === undefined ? fields : { ...fields, public_email: readEmail(fields.public_email) }
}

/** The public address must be a confirmed address of the user. Throws 400 otherwise. */
export function assertOwn(public_email: string | undefined, addresses: Iterable<string>): void {
  assertValid({ public_email: !public_email || new Set(addresses).has(public_email) ? null : 'is not a confirmed address of the user' })
}

export function emailError(email: string): string | null {
  if (email === '') return "can't be blank"
  return /^[^@\s<>\p{Cc}]+@[^@\s<>\p{Cc}]+$/u.test(email) ? lengthError(email, longestText) : 'is invalid'
}

/** Names go into commits and mail, where a line break would begin something else. */
function nameError(name: string): string | null {
  return blankError(name) ?? lengthError(name, longestText) ?? (/\p{Cc}/u.test(name) ? 'is invalid' : null)
}

export function passwordError(password: string): string | null {
  const { min, max } = password_chars
  return password.length < min ? `is too short (minimum is ${min} characters)` : lengthError(password, max)
}

function limitError(limit: number): string | null {
  if (limit < 0) return 'must be greater than or equal to 0'
  return limit > maxProjects ? `must be less than or equal to ${maxProjects}` : null
}
