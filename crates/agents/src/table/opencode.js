// Written by `brief install opencode`; `brief uninstall opencode` removes it. Changes here are lost.
import { spawn } from "node:child_process"

const PROGRAM = "@PROGRAM@"

// Asks brief, and gives up silently: context is a help, never an obstacle.
function ask(event, payload) {
  return new Promise((resolve) => {
    let text = ""
    let timer
    const answer = () => {
      clearTimeout(timer)
      try {
        resolve(JSON.parse(text).context ?? "")
      } catch {
        resolve("")
      }
    }
    try {
      const child = spawn(PROGRAM, ["hook", "opencode", event], { stdio: ["pipe", "pipe", "ignore"] })
      timer = setTimeout(() => {
        child.kill()
        answer()
      }, 5000)
      child.on("error", answer)
      child.on("close", answer)
      // A character may come in two chunks.
      child.stdout.setEncoding("utf8")
      child.stdout.on("data", (chunk) => (text += chunk))
      child.stdout.on("error", () => {})
      child.stdin.on("error", () => {})
      child.stdin.end(JSON.stringify(payload))
    } catch {
      answer()
    }
  })
}

export const BriefPlugin = async ({ directory }) => ({
  // Persisted with the message, so it is given once and stays.
  "chat.message": async (input, output) => {
    const message = output.parts.filter((part) => part.type === "text" && !part.synthetic).map((part) => part.text).join("\n")
    const context = await ask("chat.message", { session: input.sessionID, cwd: directory, message })
    if (!context) return
    const { id: messageID, sessionID } = output.message
    const id = "prt_" + Date.now().toString(16) + Math.random().toString(36).slice(2, 12)
    output.parts.push({ id, messageID, sessionID, type: "text", text: context, synthetic: true })
  },
  event: async ({ event }) => {
    if (event.type === "session.compacted") {
      await ask("session.compacted", { session: event.properties.sessionID, cwd: directory })
    }
  },
})
