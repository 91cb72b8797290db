import { defineConfig } from 'vite'

/**
 * Builds a page into its `dist`: `vite build FOLDER --config ../ui/vite.config.ts`. Its addresses are relative, so the page may
 * be mounted anywhere.
 */
export default defineConfig({
  base: './',
  logLevel: 'warn',
  // Two copies of Preact would not share their hooks.
  resolve: { dedupe: ['preact'] },
  // Shorter than calls of the automatic runtime.
  oxc: {
    jsx: { runtime: 'classic', pragma: 'element', pragmaFrag: 'Together' },
    jsxInject: "import { Fragment as Together, h as element } from 'preact'",
  },
  plugins: [
    {
      // Vite's own loads the style sheets of a lazy file first. No lazy file of ours has one.
      name: 'short-preload-helper',
      enforce: 'pre',
      load: (id) =>
        id.endsWith('vite/preload-helper.js') ? 'export const __vitePreload = (load) => load()' : undefined,
    },
  ],
  build: {
    outDir: 'dist',
    emptyOutDir: true,
    // The first browsers with light-dark().
    target: ['chrome123', 'firefox125', 'safari17.5'],
    modulePreload: false,
    reportCompressedSize: false,
  },
})
