import { browserLocalStorage as storage } from './browser-storage.ts'

const prefix = 'collapsed:'

/** The categories that the user collapsed, in `localStorage`. */
export const collapsedCategories = {
  has: (categoryId: string) => storage.get(prefix + categoryId) !== undefined,
  set(categoryId: string, isCollapsed: boolean) {
    if (isCollapsed) storage.set(prefix + categoryId, 'yes')
    else storage.remove(prefix + categoryId)
  },
}
