// The request that outputs answer and constraints are made for. It stays in this tab.

import { createStore } from "./store";

const key = "dragoman.request";

const example = JSON.stringify(
  {
    messages: [{ role: "user", content: "What is the weather in Oslo?" }],
    tools: [
      {
        type: "function",
        function: {
          name: "get_weather",
          description: "Current weather of a city",
          parameters: {
            type: "object",
            properties: { city: { type: "string" }, days: { type: "integer" } },
            required: ["city"],
          },
        },
      },
    ],
  },
  null,
  2,
);

export const request = createStore(sessionStorage.getItem(key) ?? example);

export function setRequest(text: string) {
  sessionStorage.setItem(key, text);
  request.set(text);
}
