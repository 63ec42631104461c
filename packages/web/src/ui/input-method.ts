/**
 * Hides from all handlers of the page the keys that an input method handles, for example the Enter that confirms a
 * word. Safari sends that key after the end of the composition, when only the key code tells it (UI Events, section
 * 7.3.1).
 */
export function ignoreInputMethodKeys(): void {
  const hide = (event: KeyboardEvent) => {
    if (event.isComposing || event.keyCode === 229) event.stopPropagation()
  }
  window.addEventListener('keydown', hide, { capture: true })
}
