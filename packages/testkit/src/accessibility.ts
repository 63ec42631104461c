import axe from 'axe-core'
import type { Page } from 'playwright-core'

/** A text, because this package does not have the types of the browser. */
const endMotion = `{
  const sheet = new CSSStyleSheet()
  sheet.replaceSync(\`*, ::before, ::after {
    animation-duration: 0s !important; animation-delay: 0s !important; transition: none !important
  }\`)
  document.adoptedStyleSheets.push(sheet)
}`

/**
 * The accessibility violations that axe reports, one string per element. Ends all animations and transitions of the
 * page, also those that begin while axe runs, because they change the contrast.
 */
export async function findViolations(page: Page): Promise<string[]> {
  await page.evaluate(endMotion)
  await page.evaluate(axe.source)
  const violations = await page.evaluate<
    { id: string; nodes: { target: unknown[]; failureSummary?: string }[] }[]
  >('axe.run(document, { resultTypes: ["violations"] }).then(({ violations }) => violations)')
  return violations.flatMap(({ id, nodes }) =>
    nodes.map(({ target, failureSummary }) => `${id}: ${target.join(' ')}: ${failureSummary}`),
  )
}
