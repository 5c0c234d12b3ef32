package main

import (
	"fmt"
	"iter"

	"github.com/a2aproject/a2a-go/v2/a2a"
)

// send waits for the task to settle.
func (c *conversation) send(words string, changes ...change) (*a2a.Task, error) {
	return c.taskOf(&a2a.SendMessageRequest{Message: spoken(words, changes...)})
}

// begin returns as soon as the task is there.
func (c *conversation) begin(words string) (*a2a.Task, error) {
	config := &a2a.SendMessageConfig{ReturnImmediately: true}
	return c.taskOf(&a2a.SendMessageRequest{Message: spoken(words), Config: config})
}

func (c *conversation) taskOf(request *a2a.SendMessageRequest) (*a2a.Task, error) {
	answer, err := c.client.SendMessage(c.ctx, request)
	if err != nil {
		return nil, err
	}
	task, ok := answer.(*a2a.Task)
	if !ok {
		return nil, fmt.Errorf("a %T came", answer)
	}
	return task, nil
}

func (c *conversation) stream(words string, changes ...change) iter.Seq2[a2a.Event, error] {
	return c.client.SendStreamingMessage(c.ctx, &a2a.SendMessageRequest{Message: spoken(words, changes...)})
}

func (c *conversation) get(id a2a.TaskID, historyLength *int) (*a2a.Task, error) {
	return c.client.GetTask(c.ctx, &a2a.GetTaskRequest{ID: id, HistoryLength: historyLength})
}

type change func(message *a2a.Message)

func about(id a2a.TaskID) change {
	return func(message *a2a.Message) { message.TaskID = id }
}

func among(contextID string) change {
	return func(message *a2a.Message) { message.ContextID = contextID }
}

func with(parts ...*a2a.Part) change {
	return func(message *a2a.Message) { message.Parts = append(message.Parts, parts...) }
}

func spoken(words string, changes ...change) *a2a.Message {
	message := a2a.NewMessage(a2a.MessageRoleUser, a2a.NewTextPart(words))
	for _, change := range changes {
		change(message)
	}
	return message
}

// follow reads a stream to its end: what came first and last, and the text that its updates add up to.
func follow(stream iter.Seq2[a2a.Event, error]) (seen, error) {
	shown := seen{"id": nil, "first": nil, "last": nil, "text": ""}
	texts, order, updates, direct := map[a2a.ArtifactID]string{}, []a2a.ArtifactID{}, 0, ""
	write := func(artifact *a2a.Artifact, appended bool) {
		before, known := texts[artifact.ID]
		if !known {
			order = append(order, artifact.ID)
		}
		if !appended {
			before = ""
		}
		texts[artifact.ID] = before + textOf(artifact.Parts)
	}
	for event, err := range stream {
		if err != nil {
			return nil, err
		}
		kind := ""
		switch event := event.(type) {
		case *a2a.Task:
			kind, shown["id"], shown["last"] = "task", event.ID, stateOf(event)
			for _, artifact := range event.Artifacts {
				write(artifact, false)
			}
		case *a2a.Message:
			kind, direct = "message", textOf(event.Parts)
		case *a2a.TaskStatusUpdateEvent:
			kind, shown["last"] = "statusUpdate", event.Status.State.String()
		case *a2a.TaskArtifactUpdateEvent:
			kind, updates = "artifactUpdate", updates+1
			write(event.Artifact, event.Append)
		}
		if shown["first"] == nil {
			shown["first"] = kind
		}
	}
	for _, id := range order {
		direct += texts[id]
	}
	shown["updates"], shown["text"] = updates, direct
	return shown, nil
}

func outcome(task *a2a.Task) seen {
	if task == nil {
		return nil
	}
	text := ""
	for _, artifact := range task.Artifacts {
		text += textOf(artifact.Parts)
	}
	return seen{"state": stateOf(task), "text": text}
}

func stateOf(task *a2a.Task) string {
	if task == nil {
		return ""
	}
	return task.Status.State.String()
}

func textOf(parts a2a.ContentParts) string {
	text := ""
	for _, part := range parts {
		text += part.Text()
	}
	return text
}
