package main

import (
	"time"

	"github.com/a2aproject/a2a-go/v2/a2a"
)

func (c *conversation) list() (seen, error) {
	first, err := c.send("hello")
	if err != nil {
		return nil, err
	}
	for _, words := range []string{"hello", "ask"} {
		if _, err := c.send(words, among(first.ContextID)); err != nil {
			return nil, err
		}
	}
	var failed error
	page := func(request a2a.ListTasksRequest) *a2a.ListTasksResponse {
		request.ContextID = first.ContextID
		found, err := c.client.ListTasks(c.ctx, &request)
		if err != nil {
			failed = err
			return &a2a.ListTasksResponse{}
		}
		return found
	}
	zero, tomorrow := 0, time.Now().Add(24*time.Hour)
	everything := page(a2a.ListTasksRequest{})
	one := page(a2a.ListTasksRequest{PageSize: 2})
	two := page(a2a.ListTasksRequest{PageSize: 2, PageToken: one.NextPageToken})
	asking := page(a2a.ListTasksRequest{Status: a2a.TaskStateInputRequired, IncludeArtifacts: true})
	done := page(a2a.ListTasksRequest{Status: a2a.TaskStateCompleted, IncludeArtifacts: true, HistoryLength: &zero})
	future := page(a2a.ListTasksRequest{StatusTimestampAfter: &tomorrow})
	artifacts := [][]string{}
	for _, task := range done.Tasks {
		texts := []string{}
		for _, artifact := range task.Artifacts {
			texts = append(texts, textOf(artifact.Parts))
		}
		artifacts = append(artifacts, texts)
	}
	return seen{
		"total":     everything.TotalSize,
		"states":    statesOf(everything.Tasks),
		"pages":     []int{len(one.Tasks), len(two.Tasks)},
		"inOrder":   sameTasks(everything.Tasks, append(one.Tasks, two.Tasks...)),
		"lastToken": two.NextPageToken,
		"asking":    statesOf(asking.Tasks),
		"future":    len(future.Tasks),
		"artifacts": artifacts,
	}, failed
}

func statesOf(tasks []*a2a.Task) []string {
	states := []string{}
	for _, task := range tasks {
		states = append(states, stateOf(task))
	}
	return states
}

func sameTasks(some, others []*a2a.Task) bool {
	if len(some) != len(others) {
		return false
	}
	for i := range some {
		if some[i].ID != others[i].ID {
			return false
		}
	}
	return true
}
