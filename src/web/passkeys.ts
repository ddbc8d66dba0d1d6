/**
 * `<pass-key>`: a form whose button asks the browser for a passkey, or to create one, and sends it. Hidden until the element is defined.
 */

class PassKey extends HTMLElement {
  /** Whether the form contains a fresh answer of a passkey. */
  #isSigned = false

  connectedCallback(): void {
    // Registered before the listener that sends forms in place.
    this.addEventListener('submit', (event) => this.#ask(event), { capture: true })
  }

  #ask(event: SubmitEvent): void {
    const form = event.target as HTMLFormElement
    const field = form.elements.namedItem('credential')
    const isSigned = this.#isSigned
    this.#isSigned = false
    if (isSigned || !(field instanceof HTMLInputElement)) return
    event.preventDefault()
    event.stopPropagation()
    const error = form.querySelector<HTMLElement>('.error[role=alert]')
    if (error) error.hidden = true
    this.#credential().then(
      (credential) => {
        field.value = JSON.stringify(credential?.toJSON())
        this.#isSigned = true
        form.requestSubmit()
      },
      () => {
        if (error) error.hidden = false
      },
    )
  }

  async #credential(): Promise<PublicKeyCredential | null> {
    const { create, request } = this.dataset
    const made =
      create === undefined
        ? navigator.credentials.get({ publicKey: PublicKeyCredential.parseRequestOptionsFromJSON(JSON.parse(request ?? '')) })
        : navigator.credentials.create({ publicKey: PublicKeyCredential.parseCreationOptionsFromJSON(JSON.parse(create)) })
    return (await made) as PublicKeyCredential | null
  }
}

// Older browsers can't parse the options of the server: users enter a code there.
const readsOptions = typeof PublicKeyCredential !== 'undefined' && 'parseRequestOptionsFromJSON' in PublicKeyCredential
if (readsOptions) customElements.define('pass-key', PassKey)
