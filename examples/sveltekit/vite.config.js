import adapter from '@sveltejs/adapter-node'
import { sveltekit } from '@sveltejs/kit/vite'

// SvelteKit 2 takes these options from `kit` in svelte.config.js.
export default { plugins: [sveltekit({ adapter: adapter() })] }
